import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { startTexts } from '@/i18n';
import { ActionDialog } from './ActionDialog';
import { type Action, type BulkOutcome, type How, NotRehearsable } from './action';

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

const ONE = [1];

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
  await screen.findByText(/can be changed/);
  fireEvent.click(screen.getByText('Cancel orders'));
  expect(keys).toEqual([]);
  fireEvent.change(screen.getByLabelText('Type 1500 to confirm.'), { target: { value: '1,500' } });
  fireEvent.click(screen.getByText('Cancel orders'));
  expect(await screen.findByText('The server cannot be reached.')).toBeTruthy();
  fireEvent.click(await screen.findByText('Go on'));
  await waitFor(() => expect(screen.getByText(/1.500 changed\./)).toBeTruthy());
  expect(keys).toHaveLength(3);
  expect(keys[2]).toBe(keys[1]);
});

it('shows no preview of another input, and cannot be confirmed until the current one is tried', async () => {
  vi.useFakeTimers();
  const answers: { amount: unknown; answer: () => void }[] = [];
  const runs: unknown[] = [];
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    tone: 'danger',
    allows: () => true,
    one: vi.fn(),
    initial: { amount: '3.01' },
    Form: ({ value, onChange }) => (
      <input aria-label="amount" value={String(value.amount)} onChange={(e) => onChange({ amount: e.target.value })} />
    ),
    many: (ids, { amount }, { dryRun }) =>
      new Promise((resolve) => {
        const totals = { orders: 1, returned: String(amount), users: 1, charged: '0' };
        if (!dryRun) runs.push(amount);
        answers.push({ amount, answer: () => resolve({ ...outcome(ids, dryRun), totals }) });
      }),
  };
  render(
    <PrimeReactProvider>
      <ActionDialog action={action} ids={ONE} row={null} onClose={() => undefined} onDone={vi.fn()} />
    </PrimeReactProvider>,
  );
  const step = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const confirm = () => fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  const type = (value: string) => fireEvent.change(screen.getByLabelText('amount'), { target: { value } });
  await step(0);
  answers[0]?.answer();
  await step(0);
  expect(screen.getByText(/\$3\.01 goes back/)).toBeTruthy();
  type('2.00');
  expect(screen.queryByText(/goes back/)).toBeNull();
  await step(300);
  type('0.50');
  await step(300);
  expect(answers.map(({ amount }) => amount)).toEqual(['3.01', '2.00', '0.50']);
  answers[1]?.answer();
  await step(0);
  expect(screen.queryByText(/goes back/)).toBeNull();
  confirm();
  expect(runs).toEqual([]);
  answers[2]?.answer();
  await step(0);
  expect(screen.getByText(/\$0\.50 goes back/)).toBeTruthy();
  confirm();
  expect(runs).toEqual(['0.50']);
});

it('tries more than one call takes in chunks, and adds them up', async () => {
  const many = vi.fn(async (ids: readonly number[], _: unknown, how: How) => outcome(ids, how.dryRun));
  open(
    many,
    Array.from({ length: 10_500 }, (_, at) => at + 1),
  );
  expect(await screen.findByText(/10.500 of 10.500 can be changed\./)).toBeTruthy();
  expect(screen.getByText(/\$137\.50 goes back/)).toBeTruthy();
  expect(many.mock.calls.every(([, , how]) => how.dryRun)).toBe(true);
});

it('asks for the number where much money moves, and offers to undo what it did', async () => {
  const { undo } = { undo: { request_id: 'r1', records: 2 } };
  open(
    async (ids, _, how) => ({
      ...outcome(ids, how.dryRun),
      undo,
      totals: { orders: 2, returned: '1000.01', users: 1, charged: '0', services: 2, customers: 1 },
    }),
    [1, 2],
  );
  expect(await screen.findByText(/Services: 2, customers: 1\./)).toBeTruthy();
  fireEvent.change(screen.getByLabelText('Type 2 to confirm.'), { target: { value: '2' } });
  fireEvent.click(screen.getByText('Cancel orders'));
  expect(await screen.findByText('2 changed.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy();
});

it('confirms nothing that the server could not try', async () => {
  let isDown = true;
  const many = vi.fn(async (ids: readonly number[], _: unknown, how: How) => {
    if (isDown) throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' });
    return outcome(ids, how.dryRun);
  });
  open(many, [1, 2]);
  expect(await screen.findByText('The server cannot be reached.')).toBeTruthy();
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  expect(many.mock.calls.every(([, , how]) => how.dryRun)).toBe(true);
  isDown = false;
  fireEvent.click(screen.getByText('Try again'));
  expect(await screen.findByText('2 of 2 can be changed.', { exact: false })).toBeTruthy();
});

it('cannot be confirmed by a held key', async () => {
  const many = vi.fn(async (ids: readonly number[], _: unknown, how: How) => outcome(ids, how.dryRun));
  open(many, [1]);
  const confirm = await screen.findByText('Cancel order');
  expect(fireEvent.keyDown(confirm, { key: 'Enter', repeat: true })).toBe(false);
});

it('says that records may be skipped where nothing can be tried, and nothing of a single record', async () => {
  const untried = vi.fn(async (ids: readonly number[], _: unknown, how: How): Promise<BulkOutcome> => {
    if (how.dryRun) throw new NotRehearsable();
    return outcome(ids, false);
  });
  open(untried, [1, 2]);
  expect(await screen.findByText('The server skips records that it cannot change', { exact: false })).toBeTruthy();
  // What cannot be tried beforehand can be done all the same.
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  await waitFor(() => expect(untried.mock.calls.some(([, , how]) => !how.dryRun)).toBe(true));
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
