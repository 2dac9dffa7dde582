import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import type { WriteOptions } from '@/api/writeOptions';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { DeleteDialog } from './DeleteDialog';

beforeAll(initI18n);
afterEach(cleanup);

it('sends no deletion if the record is in use, and shows which records use it', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const message = 'This network is used by packages: Starter (3).';
  const deleteRecord = vi.fn((_: object) =>
    Promise.reject(new Problem({ status: 409, code: 'network_in_use', message })),
  );
  render(<DeleteDialog name="Music" deleteRecord={deleteRecord} onClose={onClose} onDone={onDone} />, {
    wrapper: TestQueryProvider,
  });
  expect(await screen.findByText(message)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(deleteRecord.mock.calls).toEqual([[expect.objectContaining({ dryRun: true })]]);
  expect(onClose).not.toHaveBeenCalled();
  expect(onDone).not.toHaveBeenCalled();
});

it('calls onClose and onDone after the deletion', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const deleteRecord = vi.fn((_: WriteOptions) => Promise.resolve());
  render(<DeleteDialog name="Music" deleteRecord={deleteRecord} onClose={onClose} onDone={onDone} />, {
    wrapper: TestQueryProvider,
  });
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Delete' }).ariaDisabled).not.toBe('true'));
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(onClose).toHaveBeenCalledOnce();
  expect(deleteRecord.mock.calls.map(([{ dryRun }]) => dryRun)).toEqual([true, false]);
});

it('sends the deletion with an idempotency key, and the dry run without one', async () => {
  const deleteRecord = vi.fn(async () => null);
  render(<DeleteDialog name="N" deleteRecord={deleteRecord} onClose={vi.fn()} onDone={vi.fn()} />, {
    wrapper: TestQueryProvider,
  });
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Delete' }).ariaDisabled).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() => expect(deleteRecord).toHaveBeenCalledTimes(2));
  expect(deleteRecord).toHaveBeenLastCalledWith({ dryRun: false, key: expect.any(String) });
});
