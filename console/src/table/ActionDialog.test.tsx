import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { startTexts } from '@/i18n';
import { ActionDialog } from './ActionDialog';
import type { Action, BulkOutcome, How } from './action';

const { toast } = vi.hoisted(() => ({ toast: vi.fn() }));
vi.mock('@/ui/toasts', () => ({ toast, useToasts: () => [] }));

beforeAll(startTexts);
afterEach(() => {
  vi.useRealTimers();
  cleanup();
});

interface Row {
  id: number;
}

const outcome = (ids: readonly number[], dryRun: boolean): BulkOutcome => ({
  processed: ids.length,
  skipped: [],
  totals: { orders: ids.length, returned: '12.5', users: 1, charged: '0' },
  dry_run: dryRun,
});

function open(many: Action<Row>['many'], ids: readonly number[]) {
  const action: Action<Row> = { name: 'cancel', icon: 'times', tone: 'danger', allows: () => true, one: vi.fn(), many };
  const done = vi.fn();
  render(
    <PrimeReactProvider>
      <ActionDialog action={action} ids={ids} row={null} onClose={() => undefined} onDone={done} />
    </PrimeReactProvider>,
  );
  return done;
}

it('says what would happen, and does it once', async () => {
  const many = vi.fn(async (ids: readonly number[], _: unknown, how: How) => outcome(ids, how.dryRun));
  const done = open(many, [1, 2, 3]);
  expect(await screen.findByText('3 of 3 can be changed.', { exact: false })).toBeTruthy();
  expect(screen.getByText(/\$12\.50 goes back to 1 customer/)).toBeTruthy();
  fireEvent.click(screen.getByText('Cancel orders'));
  expect(await screen.findByText('3 changed.')).toBeTruthy();
  expect(done).toHaveBeenCalledOnce();
  expect(many.mock.calls.filter(([, , how]) => !how.dryRun)).toHaveLength(1);
});

it('goes on under the same key after the connection broke', async () => {
  const keys: string[] = [];
  open(
    async (ids, _, how) => {
      if (!how.dryRun) keys.push(how.key);
      if (!how.dryRun && keys.length === 2)
        throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' });
      return outcome(ids, how.dryRun);
    },
    Array.from({ length: 1_500 }, (_, at) => at + 1),
  );
  fireEvent.click(screen.getByText('Cancel orders'));
  expect(await screen.findByText('The server cannot be reached.')).toBeTruthy();
  fireEvent.click(await screen.findByText('Go on'));
  await waitFor(() => expect(screen.getByText(/1.500 changed\./)).toBeTruthy());
  expect(keys).toHaveLength(3);
  expect(keys[2]).toBe(keys[1]);
});

it('previews nothing once it runs', async () => {
  vi.useFakeTimers();
  const kinds: string[] = [];
  let answer = (_: BulkOutcome) => {};
  const answered = new Promise<BulkOutcome>((resolve) => {
    answer = resolve;
  });
  open(
    (ids, _, how) => {
      kinds.push(how.dryRun ? 'preview' : 'run');
      return how.dryRun ? Promise.resolve(outcome(ids, true)) : answered;
    },
    [1],
  );
  // Before the first preview is sent, and answered long after it would have been.
  fireEvent.click(screen.getByText('Cancel order'));
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  vi.useRealTimers();
  answer(outcome([1], false));
  expect(await screen.findByText('1 changed.')).toBeTruthy();
  expect(kinds).toEqual(['run']);
});

it('cannot be confirmed by a held key', async () => {
  const many = vi.fn(async (ids: readonly number[], _: unknown, how: How) => outcome(ids, how.dryRun));
  open(many, [1]);
  const confirm = await screen.findByText('Cancel order');
  expect(fireEvent.keyDown(confirm, { key: 'Enter', repeat: true })).toBe(false);
});

it('says that records may be skipped where nothing can be tried, and nothing of a single record', async () => {
  const untried = async (): Promise<BulkOutcome> => {
    throw new Problem({ status: 0, code: 'cannot_rehearse', message: '' });
  };
  open(untried, [1, 2]);
  expect(await screen.findByText('The server skips records that it cannot change', { exact: false })).toBeTruthy();
  cleanup();
  open(untried, [1]);
  await waitFor(() => expect(document.querySelector('.preview')?.getAttribute('aria-busy')).toBe('false'));
  expect(document.querySelector('.preview')?.textContent).toBe('This cannot be undone.');
});

it('undoes by the request that the server named, and offers nothing where it named none', async () => {
  const sent: unknown[] = [];
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    sent.push([new URL((request as Request).url).pathname, await (request as Request).json()]);
    const answer = {
      processed: 1,
      skipped: [],
      totals: { orders: 1, returned: '0', users: 0, charged: '0' },
      dry_run: false,
    };
    return new Response(JSON.stringify(answer), { headers: { 'Content-Type': 'application/json' } });
  });
  const offered = (undo: object) => async (ids: readonly number[], _: unknown, how: How) => ({
    ...outcome(ids, how.dryRun),
    totals: { orders: ids.length, returned: '0', users: 0, charged: '16' },
    ...undo,
  });
  toast.mockClear();
  open(offered({}), [1]);
  expect(await screen.findByText('$16.00 is charged to customers, which is final.', { exact: false })).toBeTruthy();
  expect(document.querySelector('.preview-final')).toBeTruthy();
  fireEvent.click(screen.getByText('Cancel order'));
  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  expect(toast.mock.lastCall?.[0].action).toBeUndefined();
  cleanup();
  open(offered({ undo: { request_id: 'r-7', records: 1 } }), [1]);
  await screen.findByText('1 of 1 can be changed.', { exact: false });
  expect(document.querySelector('.preview-final')).toBeNull();
  fireEvent.click(screen.getByText('Cancel order'));
  await waitFor(() => expect(toast.mock.lastCall?.[0].action).toBeTruthy());
  toast.mock.lastCall?.[0].action.run();
  await waitFor(() => expect(sent).toEqual([['/api/v1/admin/undo', { request_id: 'r-7' }]]));
  fetched.mockRestore();
});
