import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { money, quantity } from './codecs';
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

it('leads to the first field that is wrong, and names what is no number beside what the server refuses', async () => {
  const fields = { name: ['Give a name.'], count: ['invalid type: string, expected i64'] };
  const send = async () => {
    throw new Problem({ status: 422, code: 'invalid', message: 'Refused.', fields });
  };
  render(
    <FormDialog
      title="T"
      confirm="Save"
      fields={[
        { name: 'about', label: 'About' },
        { name: 'price', label: 'Price' },
        { name: 'count', label: 'Count' },
        { name: 'name', label: 'Name' },
      ]}
      spec={{ codecs: { price: money, count: quantity } }}
      initial={{ price: 'dear', count: '0x1F' }}
      send={send}
      onClose={() => undefined}
    />,
    { wrapper: Queries },
  );
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  const price = await screen.findByRole('textbox', { name: 'Price', description: 'Enter a number.' });
  expect(
    screen.getByRole('textbox', { name: 'Count', description: 'Enter a whole number, digits only.' }),
  ).toBeTruthy();
  expect(screen.getByRole('textbox', { name: 'Name', description: 'Give a name.' })).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(price));
});

it('only shows what is there where it is locked', () => {
  const send = vi.fn();
  render(
    <FormDialog
      title="T"
      confirm="Save"
      fields={[{ name: 'name', label: 'Name' }]}
      initial={{ name: 'Old' }}
      locked={<p>Archived.</p>}
      send={send}
      onClose={() => undefined}
    />,
    { wrapper: Queries },
  );
  const name = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
  fireEvent.change(name, { target: { value: 'New' } });
  expect([name.value, name.matches(':disabled'), screen.queryByRole('button', { name: 'Save' })]).toEqual([
    'Old',
    true,
    null,
  ]);
  expect(screen.getByText('Archived.')).toBeTruthy();
});
