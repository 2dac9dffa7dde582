import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { How } from '@/api/how';
import { Problem } from '@/api/problem';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { DeleteDialog } from './DeleteDialog';

beforeAll(startTexts);
afterEach(cleanup);

it('shows what uses the record before it can be deleted', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const message = 'This network is used by packages: Starter (3).';
  const remove = vi.fn((_: object) => Promise.reject(new Problem({ status: 409, code: 'network_in_use', message })));
  render(<DeleteDialog name="Music" remove={remove} onClose={onClose} onDone={onDone} />, { wrapper: Queries });
  expect(await screen.findByText(message)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(remove.mock.calls).toEqual([[expect.objectContaining({ dryRun: true })]]);
  expect(onClose).not.toHaveBeenCalled();
  expect(onDone).not.toHaveBeenCalled();
});

it('tells its owner once the record is gone', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const remove = vi.fn((_: How) => Promise.resolve());
  render(<DeleteDialog name="Music" remove={remove} onClose={onClose} onDone={onDone} />, { wrapper: Queries });
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Delete' }).ariaDisabled).not.toBe('true'));
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(onClose).toHaveBeenCalledOnce();
  expect(remove.mock.calls.map(([{ dryRun }]) => dryRun)).toEqual([true, false]);
});

it('deletes under a key, and tries under none', async () => {
  const remove = vi.fn(async () => null);
  render(<DeleteDialog name="N" remove={remove} onClose={vi.fn()} onDone={vi.fn()} />, { wrapper: Queries });
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Delete' }).ariaDisabled).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(2));
  expect(remove).toHaveBeenLastCalledWith({ dryRun: false, key: expect.any(String) });
});
