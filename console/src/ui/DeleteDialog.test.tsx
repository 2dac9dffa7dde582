import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { startTexts } from '@/i18n';
import { DeleteDialog } from './DeleteDialog';

beforeAll(startTexts);
afterEach(cleanup);

it('shows what uses the record and stays open', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const message = 'This network is used by packages: Starter (3).';
  const remove = vi.fn(() => Promise.reject(new Problem({ status: 409, code: 'network_in_use', message })));
  render(<DeleteDialog name="Music" remove={remove} onClose={onClose} onDone={onDone} />);
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText(message)).toBeTruthy();
  expect(onClose).not.toHaveBeenCalled();
  expect(onDone).not.toHaveBeenCalled();
});

it('tells its owner once the record is gone', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  render(<DeleteDialog name="Music" remove={() => Promise.resolve()} onClose={onClose} onDone={onDone} />);
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(onClose).toHaveBeenCalledOnce();
});
