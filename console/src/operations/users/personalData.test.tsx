import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { EraseDialog } from './personalData';

beforeAll(initI18n);
afterEach(cleanup);

const user = { id: 7, name: 'Olga', email: 'olga@person.test' };
const dryRunResponse = {
  data: {
    user_id: 7,
    requested_at: null,
    erased_at: null,
    tables: [
      { table: 'orders', treatment: 'overwritten' as const, records: 12, fields: ['url'], note: null },
      { table: 'invoices', treatment: 'kept' as const, records: 3, fields: [], note: 'Money records stay.' },
      { table: 'api_keys', treatment: 'removed' as const, records: 0, fields: [], note: null },
    ],
  },
};

const findEraseButton = () => screen.getByRole('button', { name: 'Erase permanently' });

it('shows the dry run, and erases only after the email was typed', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const run = vi.fn(() => Promise.resolve(dryRunResponse));
  render(<EraseDialog user={user} run={run} onClose={onClose} onDone={onDone} />, { wrapper: TestQueryProvider });
  expect(await screen.findByText('Overwritten: url')).toBeTruthy();
  expect(screen.getByText('Kept: Money records stay.')).toBeTruthy();
  expect(screen.queryByText('api_keys')).toBeNull();
  fireEvent.click(findEraseButton());
  expect(run).toHaveBeenCalledTimes(1);
  fireEvent.change(screen.getByLabelText('Type olga@person.test to confirm'), {
    target: { value: 'Olga@person.test ' },
  });
  fireEvent.click(findEraseButton());
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(run.mock.calls).toEqual([
    [7, { dryRun: true, signal: expect.anything() }],
    [7, { dryRun: false, key: expect.any(String) }],
  ]);
});

it('shows the reason of a blocked erasure, and erases nothing', async () => {
  const message = 'You cannot erase this customer yet. They have an open withdrawal. Settle this first.';
  const run = vi.fn(() => Promise.reject(new Problem({ status: 409, code: 'erasure_blocked', message })));
  render(<EraseDialog user={user} run={run} onClose={vi.fn()} onDone={vi.fn()} />, { wrapper: TestQueryProvider });
  expect(await screen.findByText(message)).toBeTruthy();
  fireEvent.click(findEraseButton());
  expect(run).toHaveBeenCalledTimes(1);
});
