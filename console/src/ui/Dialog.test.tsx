import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { useSubmit } from '@/form/useSubmit';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { CloseButton, Dialog } from './Dialog';
import { Select } from './Select';

beforeAll(startTexts);
afterEach(cleanup);

function Step({ send }: { send: () => Promise<unknown> }) {
  const { submit } = useSubmit({ send });
  return (
    <button type="button" onClick={() => void submit()}>
      Go
    </button>
  );
}

it('is held by a call that runs inside of it, until the answer', async () => {
  let answer: (value: unknown) => void = () => undefined;
  const onClose = vi.fn();
  render(
    <Dialog title="T" onClose={onClose} footer={<CloseButton label="Away" />}>
      <Step send={() => new Promise((resolve) => (answer = resolve))} />
    </Dialog>,
    { wrapper: Queries },
  );
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Go' })));
  fireEvent.click(screen.getByRole('button', { name: 'Away' }));
  expect(onClose).not.toHaveBeenCalled();
  await act(async () => answer(null));
  fireEvent.click(screen.getByRole('button', { name: 'Away' }));
  expect(onClose).toHaveBeenCalledOnce();
});

it('stays open where Escape closes a list in it', async () => {
  const onClose = vi.fn();
  render(
    <Dialog title="T" onClose={onClose}>
      <Select label="Kind" value={null} options={[{ value: 'a', label: 'A' }]} onChange={vi.fn()} />
    </Dialog>,
  );
  const escaped = () =>
    fireEvent.keyDown(document.querySelector('.p-dropdown input') as HTMLElement, { key: 'Escape', code: 'Escape' });
  const list = () => document.querySelector('.p-dropdown-panel');
  fireEvent.click(document.querySelector('.p-dropdown') as HTMLElement);
  await waitFor(() => expect(list()).toBeTruthy());
  await act(async () => void escaped());
  expect(onClose).not.toHaveBeenCalled();
  await waitFor(() => expect(list()).toBeNull());
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)));
  await act(async () => void escaped());
  expect(onClose).toHaveBeenCalledOnce();
});
