import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { FormDialog, type FormField } from './FormDialog';

beforeAll(startTexts);
afterEach(cleanup);

const refused = async () => {
  const fields = { name: ['Give an English name.'], place: ['Choose a place.'] };
  throw new Problem({ status: 422, code: 'invalid', message: 'Refused.', fields });
};

function open(fields: readonly FormField[]) {
  render(
    <FormDialog title="T" confirm="Save" fields={fields} initial={{}} send={refused} onClose={() => undefined} />,
    { wrapper: Queries },
  );
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
}

const texts: FormField = {
  name: 'translations',
  label: 'Texts',
  mode: 'texts',
  texts: [{ name: 'name', label: 'Name' }],
};

it('shows at the English text what is wrong with a name, and in the bar what no field draws', async () => {
  open([texts]);
  expect(await screen.findByRole('textbox', { name: 'Name', description: 'Give an English name.' })).toBeTruthy();
  expect(screen.getByRole('alert').textContent).toContain('Choose a place.');
  expect(screen.getByRole('alert').textContent).not.toContain('English');
});

it('leaves a name to the field of that name', async () => {
  open([texts, { name: 'name', label: 'Internal name' }]);
  expect(
    await screen.findByRole('textbox', { name: 'Internal name', description: 'Give an English name.' }),
  ).toBeTruthy();
});

it('stays while it saves, and shows what the server refuses afterwards', async () => {
  let refuse: (error: unknown) => void = () => undefined;
  const send = () => new Promise((_, reject) => (refuse = reject));
  const onClose = vi.fn();
  render(
    <FormDialog
      title="T"
      confirm="Save"
      fields={[{ name: 'name', label: 'Name' }]}
      initial={{ name: '' }}
      send={send}
      onClose={onClose}
    />,
    { wrapper: Queries },
  );
  fireEvent.change(screen.getByRole('textbox', { name: 'Name' }), { target: { value: 'typed' } });
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Save' })));
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape', code: 'Escape' });
  expect([onClose.mock.calls.length, screen.getByRole('button', { name: 'Cancel' }).ariaDisabled]).toEqual([0, 'true']);
  await act(async () => refuse(new Problem({ status: 422, code: 'invalid', message: 'Refused.' })));
  expect(screen.getByRole('alert').textContent).toContain('Refused.');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('typed');
  vi.spyOn(window, 'confirm').mockReturnValue(true);
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(onClose).toHaveBeenCalledOnce();
});
