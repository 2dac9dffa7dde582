import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { useSubmit } from '@/form/useSubmit';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { CloseButton, Dialog } from './Dialog';
import { Select } from './Select';

beforeAll(initI18n);
afterEach(cleanup);

function SubmitButton({ send }: { send: () => Promise<unknown> }) {
  const { submit } = useSubmit({ send });
  return (
    <button type="button" onClick={() => void submit()}>
      Go
    </button>
  );
}

it('cannot be closed while a request inside of it is pending', async () => {
  let endRequest: (value: unknown) => void = () => undefined;
  const onClose = vi.fn();
  render(
    <Dialog title="T" onClose={onClose} footer={<CloseButton label="Leave" />}>
      <SubmitButton send={() => new Promise((resolve) => (endRequest = resolve))} />
    </Dialog>,
    { wrapper: TestQueryProvider },
  );
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Go' })));
  fireEvent.click(screen.getByRole('button', { name: 'Leave' }));
  expect(onClose).not.toHaveBeenCalled();
  await act(async () => endRequest(null));
  fireEvent.click(screen.getByRole('button', { name: 'Leave' }));
  expect(onClose).toHaveBeenCalledOnce();
});

it('stays open when Escape closes an option list inside of it', async () => {
  const onClose = vi.fn();
  render(
    <Dialog title="T" onClose={onClose}>
      <Select label="Kind" value={null} options={[{ value: 'a', label: 'A' }]} onChange={vi.fn()} />
    </Dialog>,
  );
  const pressEscape = () =>
    fireEvent.keyDown(document.querySelector('.p-dropdown input') as HTMLElement, { key: 'Escape', code: 'Escape' });
  const findOpenList = () => document.querySelector('.p-dropdown-panel');
  fireEvent.click(document.querySelector('.p-dropdown') as HTMLElement);
  await waitFor(() => expect(findOpenList()).toBeTruthy());
  await act(async () => void pressEscape());
  expect(onClose).not.toHaveBeenCalled();
  await waitFor(() => expect(findOpenList()).toBeNull());
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)));
  await act(async () => void pressEscape());
  expect(onClose).toHaveBeenCalledOnce();
});
