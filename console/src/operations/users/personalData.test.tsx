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
      {
        table: 'invoices',
        treatment: 'kept' as const,
        records: 3,
        fields: [],
        note: 'Financial records must be kept.',
      },
      { table: 'api_keys', treatment: 'removed' as const, records: 0, fields: [], note: null },
    ],
  },
};

const findEraseButton = () => screen.getByRole('button', { name: 'Erase permanently' });

it('shows the result of the dry run, and erases only after the staff member has typed the email', async () => {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const requestErasure = vi.fn(() => Promise.resolve(dryRunResponse));
  render(<EraseDialog user={user} requestErasure={requestErasure} onClose={onClose} onDone={onDone} />, {
    wrapper: TestQueryProvider,
  });
  expect(await screen.findByText('Overwritten: url')).toBeTruthy();
  expect(screen.getByText('Kept: Financial records must be kept.')).toBeTruthy();
  expect(screen.queryByText('api_keys')).toBeNull();
  fireEvent.click(findEraseButton());
  expect(requestErasure).toHaveBeenCalledTimes(1);
  fireEvent.change(screen.getByLabelText('Type olga@person.test to confirm'), {
    target: { value: 'Olga@person.test ' },
  });
  fireEvent.click(findEraseButton());
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(requestErasure.mock.calls).toEqual([
    [7, { dryRun: true, signal: expect.anything() }],
    [7, { dryRun: false, key: expect.any(String) }],
  ]);
});

it('shows why an erasure is blocked, and erases nothing', async () => {
  const message = 'You cannot erase this customer yet. They have an open withdrawal. Settle these first.';
  const requestErasure = vi.fn(() => Promise.reject(new Problem({ status: 409, code: 'erasure_blocked', message })));
  render(<EraseDialog user={user} requestErasure={requestErasure} onClose={vi.fn()} onDone={vi.fn()} />, {
    wrapper: TestQueryProvider,
  });
  expect(await screen.findByText(message)).toBeTruthy();
  fireEvent.click(findEraseButton());
  expect(requestErasure).toHaveBeenCalledTimes(1);
});
