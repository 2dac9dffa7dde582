import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { api, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { ActionDialog } from './ActionDialog';
import type { Action, BulkOutcome, ChunkOptions } from './action';

const { toast } = vi.hoisted(() => ({ toast: vi.fn() }));
vi.mock('@/ui/toasts', () => ({ toast, useToasts: () => [] }));

beforeAll(initI18n);
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

const page = (action: Action<Row>, ids: readonly number[], row: Row | null) => (
  <PrimeReactProvider>
    <ActionDialog action={action} ids={ids} row={row} onClose={() => undefined} onDone={vi.fn()} />
  </PrimeReactProvider>
);

function open(many: Action<Row>['many'], ids: readonly number[]) {
  const action: Action<Row> = { name: 'cancel', icon: 'times', tone: 'danger', allows: () => true, one: vi.fn(), many };
  const done = vi.fn();
  render(
    <PrimeReactProvider>
      <ActionDialog action={action} ids={ids} row={null} onClose={() => undefined} onDone={done} />
    </PrimeReactProvider>,
    { wrapper: TestQueryProvider },
  );
  return done;
}

it('shows the preview, and runs once', async () => {
  const many = vi.fn(async (ids: readonly number[], _: unknown, options: ChunkOptions) => outcome(ids, options.dryRun));
  const done = open(many, [1, 2, 3]);
  expect(await screen.findByText('3 of 3 selected will be changed.', { exact: false })).toBeTruthy();
  expect(screen.getByText(/\$12\.50 will be refunded to 1 customer/)).toBeTruthy();
  fireEvent.click(screen.getByText('Cancel orders'));
  expect(await screen.findByText('3 updated.')).toBeTruthy();
  expect(done).toHaveBeenCalledOnce();
  expect(many.mock.calls.filter(([, , options]) => !options.dryRun)).toHaveLength(1);
});

it('continues under the same key after a lost connection', async () => {
  const keys: string[] = [];
  open(
    async (ids, _, options) => {
      if (!options.dryRun) keys.push(options.key);
      if (!options.dryRun && keys.length === 2)
        throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' });
      return outcome(ids, options.dryRun);
    },
    Array.from({ length: 1_500 }, (_, at) => at + 1),
  );
  await screen.findByText(/will be changed/);
  fireEvent.click(screen.getByText('Cancel orders'));
  expect(keys).toEqual([]);
  fireEvent.change(screen.getByLabelText('Type 1500 to confirm.'), { target: { value: '1,500' } });
  fireEvent.click(screen.getByText('Cancel orders'));
  expect(await screen.findByText('The server cannot be reached.')).toBeTruthy();
  fireEvent.click(await screen.findByText('Continue'));
  await waitFor(() => expect(screen.getByText(/1.500 updated\./)).toBeTruthy());
  expect(keys).toHaveLength(3);
  expect(keys[2]).toBe(keys[1]);
});

it('shows no preview of an older input, and cannot be confirmed before the preview of the current one', async () => {
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
    { wrapper: TestQueryProvider },
  );
  const step = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const confirm = () => fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  const type = (value: string) => fireEvent.change(screen.getByLabelText('amount'), { target: { value } });
  await step(0);
  answers[0]?.answer();
  await step(0);
  expect(screen.getByText(/\$3\.01 will be refunded/)).toBeTruthy();
  type('2.00');
  expect(screen.queryByText(/will be refunded/)).toBeNull();
  await step(300);
  type('0.50');
  await step(300);
  expect(answers.map(({ amount }) => amount)).toEqual(['3.01', '2.00', '0.50']);
  answers[1]?.answer();
  await step(0);
  expect(screen.queryByText(/will be refunded/)).toBeNull();
  confirm();
  expect(runs).toEqual([]);
  answers[2]?.answer();
  await step(0);
  expect(screen.getByText(/\$0\.50 will be refunded/)).toBeTruthy();
  confirm();
  expect(runs).toEqual(['0.50']);
});

it('previews many records in chunks, and adds them up', async () => {
  const reach = { users: [7], services: [1, 2], customers: [7, 8] };
  const many = vi.fn(async (ids: readonly number[], _: unknown, options: ChunkOptions) => ({
    ...outcome(ids, options.dryRun),
    reach,
  }));
  open(
    many,
    Array.from({ length: 10_500 }, (_, at) => at + 1),
  );
  expect(await screen.findByText(/10.500 of 10.500 selected will be changed\./)).toBeTruthy();
  // Customers who are in several chunks count once.
  expect(screen.getByText(/Services affected: 2\. Customers affected: 2\./)).toBeTruthy();
  expect(screen.getByText(/will be refunded to 1 customer\./)).toBeTruthy();
  expect(many.mock.calls.every(([, , options]) => options.dryRun)).toBe(true);
});

it('requires the count to be typed for large amounts, and offers undo', async () => {
  const { undo } = { undo: { request_id: 'r1', records: 2 } };
  open(
    async (ids, _, options) => ({
      ...outcome(ids, options.dryRun),
      undo,
      totals: { orders: 2, returned: '1000.01', users: 1, charged: '0', services: 2, customers: 1 },
    }),
    [1, 2],
  );
  expect(await screen.findByText(/Services affected: 2\. Customers affected: 1\./)).toBeTruthy();
  fireEvent.change(screen.getByLabelText('Type 2 to confirm.'), { target: { value: '2' } });
  fireEvent.click(screen.getByText('Cancel orders'));
  expect(await screen.findByText('2 updated.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy();
});

it('cannot be confirmed after a failed preview', async () => {
  let isDown = true;
  const many = vi.fn(async (ids: readonly number[], _: unknown, options: ChunkOptions) => {
    if (isDown) throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' });
    return outcome(ids, options.dryRun);
  });
  open(many, [1, 2]);
  expect(await screen.findByText('The server cannot be reached.')).toBeTruthy();
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  expect(many.mock.calls.every(([, , options]) => options.dryRun)).toBe(true);
  isDown = false;
  fireEvent.click(screen.getByText('Try again'));
  expect(await screen.findByText('2 of 2 selected will be changed.', { exact: false })).toBeTruthy();
});

it('cannot be confirmed by a held-down key', async () => {
  const many = vi.fn(async (ids: readonly number[], _: unknown, options: ChunkOptions) => outcome(ids, options.dryRun));
  open(many, [1]);
  const confirm = await screen.findByText('Cancel order');
  expect(fireEvent.keyDown(confirm, { key: 'Enter', repeat: true })).toBe(false);
});

it('says that records may be skipped while the form is too incomplete for a preview', async () => {
  const many = vi.fn();
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    allows: () => true,
    one: vi.fn(),
    many,
    isReady: () => false,
    Form: () => null,
  };
  render(page(action, [1, 2], null), { wrapper: TestQueryProvider });
  expect(await screen.findByText('Records that cannot be changed are skipped', { exact: false })).toBeTruthy();
  expect(many).not.toHaveBeenCalled();
});

it('undoes by the request id of the server, and offers no undo without one', async () => {
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
  const bulkAnswer = (undo: object) => async (ids: readonly number[], _: unknown, options: ChunkOptions) => ({
    ...outcome(ids, options.dryRun),
    totals: { orders: ids.length, returned: '0', users: 0, charged: '16' },
    ...undo,
  });
  toast.mockClear();
  open(bulkAnswer({}), [1]);
  expect(
    await screen.findByText('Customers will be charged $16.00. Charges are final.', { exact: false }),
  ).toBeTruthy();
  expect(document.querySelector('.preview-final')).toBeTruthy();
  fireEvent.click(screen.getByText('Cancel order'));
  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  expect(toast.mock.lastCall?.[0].action).toBeUndefined();
  cleanup();
  open(bulkAnswer({ undo: { request_id: 'r-7', records: 1 } }), [1]);
  await screen.findByText('1 of 1 selected will be changed.', { exact: false });
  expect(document.querySelector('.preview-final')).toBeNull();
  fireEvent.click(screen.getByText('Cancel order'));
  await waitFor(() => expect(toast.mock.lastCall?.[0].action).toBeTruthy());
  toast.mock.lastCall?.[0].action.run();
  await waitFor(() => expect(sent).toEqual([['/api/v1/admin/undo', { request_id: 'r-7' }]]));
  fetched.mockRestore();
});

it('makes no dry run while it runs', async () => {
  vi.useFakeTimers();
  const kinds: string[] = [];
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    allows: () => true,
    one: vi.fn(),
    Form: ({ onChange }) => <input aria-label="amount" onChange={(e) => onChange({ amount: e.target.value })} />,
    many: async (ids, _, { dryRun }) => {
      kinds.push(dryRun ? 'preview' : 'run');
      if (!dryRun) await new Promise((resolve) => setTimeout(resolve, 1_000));
      return outcome(ids, dryRun);
    },
  };
  const step = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const { rerender } = render(page(action, [1], null), { wrapper: TestQueryProvider });
  await step(0);
  rerender(page({ ...action }, [1], null));
  await step(400);
  expect(kinds).toEqual(['preview']);
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  rerender(page({ ...action }, [1], null));
  fireEvent.change(screen.getByLabelText('amount'), { target: { value: '1' } });
  await step(2_000);
  rerender(page({ ...action }, [1], null));
  await step(2_000);
  expect(screen.getByText('1 updated.')).toBeTruthy();
  expect(kinds).toEqual(['preview', 'run']);
});

it('previews one record by its own endpoint, and keeps edits when the initial values arrive late', async () => {
  vi.useFakeTimers();
  const many = vi.fn();
  let arrive: (initial: Record<string, unknown>) => void = () => {};
  const one = vi.fn(async (_id: number, input: Record<string, unknown>) => ({
    data: { id: 1 },
    returned: input.amount,
  }));
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    allows: () => true,
    one,
    many,
    previewsOne: true,
    loadInitial: () => new Promise((resolve) => (arrive = resolve)),
    Form: ({ value, onChange }) => (
      <input
        aria-label="amount"
        value={String(value.amount ?? '')}
        onChange={(e) => onChange({ amount: e.target.value })}
      />
    ),
  };
  const step = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  render(page(action, ONE, { id: 1 }), { wrapper: TestQueryProvider });
  await step(0);
  fireEvent.change(screen.getByLabelText('amount'), { target: { value: '0.50' } });
  arrive({ amount: '3.01' });
  await step(0);
  await step(400);
  expect(screen.getByText(/\$0\.50 will be refunded to 1 customer/)).toBeTruthy();
  expect(many).not.toHaveBeenCalled();
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  expect(one.mock.lastCall).toMatchObject([1, { amount: '0.50' }, { dryRun: false }]);
});

it('shows the errors of a rejected dry run, and cannot be confirmed then', async () => {
  const fields = { amount: ['The amount is more than was paid.'] };
  const many = vi.fn(async (_ids: readonly number[], _: unknown, _options: ChunkOptions): Promise<BulkOutcome> => {
    throw new Problem({ status: 422, code: 'invalid', message: 'The form is wrong.', fields });
  });
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    allows: () => true,
    one: vi.fn(),
    many,
    Form: ({ errors }) => <p>{errors.amount}</p>,
  };
  render(page(action, [1, 2], null), { wrapper: TestQueryProvider });
  expect(await screen.findByText('The amount is more than was paid.')).toBeTruthy();
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  expect(many.mock.calls.every(([, , options]) => options.dryRun)).toBe(true);
});

it('shows only those errors of one record that its form does not show', async () => {
  const fields = { amount: ['Too much.'], reason: ['Too long.'] };
  const one = () =>
    Promise.reject(new Problem({ status: 422, code: 'invalid', message: 'The form is wrong.', fields }));
  const Form: Action<Row>['Form'] = ({ errors }) => <p>{`At its field: ${errors.amount}`}</p>;
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    allows: () => true,
    one,
    many: vi.fn(),
    previewsOne: true,
  };
  render(page({ ...action, Form, fields: ['amount'] }, ONE, { id: 1 }), { wrapper: TestQueryProvider });
  expect(await screen.findByText('At its field: Too much.')).toBeTruthy();
  expect(screen.getByRole('alert').textContent).toContain('Too long.');
  expect(screen.getByRole('alert').textContent).not.toContain('Too much.');
});

it('shows the reason of each record when none could be changed', async () => {
  const skipped = [
    { id: 1, code: 'order_not_cancelable', message: 'Order 1 is completed.' },
    { id: 2, code: 'not_found', message: 'There is no order 2.' },
  ];
  const body = JSON.stringify({ code: 'nothing_processed', message: 'None.', request_id: 'r', skipped });
  const answer = { status: 422, headers: { 'Content-Type': 'application/json' } };
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(body, answer));
  open(
    (ids) =>
      unwrap(
        api.POST('/api/v1/admin/orders/approve', {
          params: { query: { dry_run: '1' } },
          body: { order_ids: [...ids] },
        }),
      ),
    [1, 2],
  );
  expect(await screen.findByText(/There is no order 2\./)).toBeTruthy();
  expect(screen.getByText(/Order 1 is completed\./)).toBeTruthy();
  fetched.mockRestore();
});

it('requires a new confirmation when a price below the minimum margin changes', async () => {
  const sent: unknown[] = [];
  const fields = { 'packages.0.discount_percent': ['9.9 is the lowest possible price. Send confirm_below_margin.'] };
  const action: Action<Row> = {
    name: 'changePackages',
    icon: 'sliders-h',
    allows: () => true,
    one: vi.fn(),
    initial: { discount: '50' },
    Form: ({ value, onChange }) => (
      <input
        aria-label="discount"
        value={String(value.discount)}
        onChange={(e) => onChange({ ...value, discount: e.target.value })}
      />
    ),
    many: async (ids, input, { dryRun }) => {
      if (!input.confirm_below_margin)
        throw new Problem({ status: 422, code: 'below_least_margin', message: 'Too low.', fields });
      if (!dryRun) sent.push(input);
      return outcome(ids, dryRun);
    },
  };
  render(page(action, [1, 2], null), { wrapper: TestQueryProvider });
  fireEvent.click(await screen.findByLabelText('Save a price below the minimum margin'));
  await screen.findByText(/will be changed/);
  fireEvent.change(screen.getByLabelText('discount'), { target: { value: '60' } });
  const again = await screen.findByLabelText('Save a price below the minimum margin');
  expect((again as HTMLInputElement).checked).toBe(false);
  fireEvent.click(again);
  await screen.findByText(/will be changed/);
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  await waitFor(() => expect(sent).toEqual([{ discount: '60', confirm_below_margin: true }]));
});
