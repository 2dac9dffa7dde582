import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import type { WriteOptions } from '@/api/writeOptions';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { DeleteDialog } from './DeleteDialog';

beforeAll(initI18n);
afterEach(cleanup);

it('cannot delete a record that is in use, and shows where it is used', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const message = 'This network is used by packages: Starter (3).';
  const remove = vi.fn((_: object) => Promise.reject(new Problem({ status: 409, code: 'network_in_use', message })));
  render(<DeleteDialog name="Music" remove={remove} onClose={onClose} onDone={onDone} />, {
    wrapper: TestQueryProvider,
  });
  expect(await screen.findByText(message)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(remove.mock.calls).toEqual([[expect.objectContaining({ dryRun: true })]]);
  expect(onClose).not.toHaveBeenCalled();
  expect(onDone).not.toHaveBeenCalled();
});

it('calls onClose and onDone after the record is deleted', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const remove = vi.fn((_: WriteOptions) => Promise.resolve());
  render(<DeleteDialog name="Music" remove={remove} onClose={onClose} onDone={onDone} />, {
    wrapper: TestQueryProvider,
  });
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Delete' }).ariaDisabled).not.toBe('true'));
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(onClose).toHaveBeenCalledOnce();
  expect(remove.mock.calls.map(([{ dryRun }]) => dryRun)).toEqual([true, false]);
});

it('deletes with an idempotency key, and makes the dry run without a key', async () => {
  const remove = vi.fn(async () => null);
  render(<DeleteDialog name="N" remove={remove} onClose={vi.fn()} onDone={vi.fn()} />, { wrapper: TestQueryProvider });
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Delete' }).ariaDisabled).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(2));
  expect(remove).toHaveBeenLastCalledWith({ dryRun: false, key: expect.any(String) });
});
