import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { moneyCodec, quantityCodec } from './codecs';
import { FormDialog, type FormField } from './FormDialog';

beforeAll(initI18n);
afterEach(cleanup);

const rejectSave = async () => {
  const fields = { name: ['Give an English name.'], place: ['Choose a place.'] };
  throw new Problem({ status: 422, code: 'invalid', message: 'Rejected.', fields });
};

function renderAndSubmit(fields: readonly FormField[]) {
  render(
    <FormDialog
      title="T"
      confirmLabel="Save"
      fields={fields}
      initialValues={{}}
      send={rejectSave}
      onClose={() => undefined}
    />,
    { wrapper: TestQueryProvider },
  );
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
}

const TRANSLATIONS_FIELD: FormField = {
  name: 'translations',
  label: 'Texts',
  mode: 'texts',
  texts: [{ name: 'name', label: 'Name' }],
};

it('shows the error of `name` next to the English text, and the errors of other fields in the error bar', async () => {
  renderAndSubmit([TRANSLATIONS_FIELD]);
  expect(await screen.findByRole('textbox', { name: 'Name', description: 'Give an English name.' })).toBeTruthy();
  expect(screen.getByRole('alert').textContent).toContain('Choose a place.');
  expect(screen.getByRole('alert').textContent).not.toContain('English');
});

it('shows the error of `name` next to the field `name` if the form has one', async () => {
  renderAndSubmit([TRANSLATIONS_FIELD, { name: 'name', label: 'Internal name' }]);
  expect(
    await screen.findByRole('textbox', { name: 'Internal name', description: 'Give an English name.' }),
  ).toBeTruthy();
});

it('cannot be closed during a save, and shows the error of a failed save', async () => {
  let rejectSave: (error: unknown) => void = () => undefined;
  const send = () => new Promise((_, reject) => (rejectSave = reject));
  const onClose = vi.fn();
  render(
    <FormDialog
      title="T"
      confirmLabel="Save"
      fields={[{ name: 'name', label: 'Name' }]}
      initialValues={{ name: '' }}
      send={send}
      onClose={onClose}
    />,
    { wrapper: TestQueryProvider },
  );
  fireEvent.change(screen.getByRole('textbox', { name: 'Name' }), { target: { value: 'typed' } });
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Save' })));
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape', code: 'Escape' });
  expect([onClose.mock.calls.length, screen.getByRole('button', { name: 'Cancel' }).ariaDisabled]).toEqual([0, 'true']);
  await act(async () => rejectSave(new Problem({ status: 422, code: 'invalid', message: 'Rejected.' })));
  expect(screen.getByRole('alert').textContent).toContain('Rejected.');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('typed');
  vi.spyOn(window, 'confirm').mockReturnValue(true);
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(onClose).toHaveBeenCalledOnce();
});

it('focuses the first invalid field, and explains invalid numbers in addition to the errors of the server', async () => {
  const fields = { name: ['Give a name.'], count: ['invalid type: string, expected i64'] };
  const send = async () => {
    throw new Problem({ status: 422, code: 'invalid', message: 'Rejected.', fields });
  };
  render(
    <FormDialog
      title="T"
      confirmLabel="Save"
      fields={[
        { name: 'about', label: 'About' },
        { name: 'price', label: 'Price' },
        { name: 'count', label: 'Count' },
        { name: 'name', label: 'Name' },
      ]}
      spec={{ codecs: { price: moneyCodec, count: quantityCodec } }}
      initialValues={{ price: 'dear', count: '0x1F' }}
      send={send}
      onClose={() => undefined}
    />,
    { wrapper: TestQueryProvider },
  );
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  const price = await screen.findByRole('textbox', { name: 'Price', description: 'Enter a number.' });
  expect(
    screen.getByRole('textbox', { name: 'Count', description: 'Enter a whole number, digits only.' }),
  ).toBeTruthy();
  expect(screen.getByRole('textbox', { name: 'Name', description: 'Give a name.' })).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(price));
});

it('disables its fields and has no save button with a locked reason', () => {
  const send = vi.fn();
  render(
    <FormDialog
      title="T"
      confirmLabel="Save"
      fields={[{ name: 'name', label: 'Name' }]}
      initialValues={{ name: 'Old' }}
      lockedReason={<p>Archived.</p>}
      send={send}
      onClose={() => undefined}
    />,
    { wrapper: TestQueryProvider },
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
