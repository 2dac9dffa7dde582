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

const ID_OF_SINGLE_RECORD = [1];

const createOutcome = (ids: readonly number[], dryRun: boolean): BulkOutcome => ({
  processed: ids.length,
  skipped: [],
  totals: { orders: ids.length, refunded: '12.5', users: 1, charged: '0' },
  dry_run: dryRun,
});

const createDialogElement = (action: Action<Row>, ids: readonly number[], row: Row | null) => (
  <PrimeReactProvider>
    <ActionDialog action={action} ids={ids} row={row} onClose={() => undefined} onDone={vi.fn()} />
  </PrimeReactProvider>
);

const getConfirmButton = () => screen.getByRole('button', { name: /^Cancel [\d\s]+ orders$/ });

function renderDialog(runBulk: Action<Row>['runBulk'], ids: readonly number[]) {
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    tone: 'danger',
    isAllowedFor: () => true,
    runSingle: vi.fn(),
    runBulk,
  };
  const onDone = vi.fn();
  render(
    <PrimeReactProvider>
      <ActionDialog action={action} ids={ids} row={null} onClose={() => undefined} onDone={onDone} />
    </PrimeReactProvider>,
    { wrapper: TestQueryProvider },
  );
  return onDone;
}

it('shows the preview, and runs the action once', async () => {
  const runBulk = vi.fn(async (ids: readonly number[], _: unknown, options: ChunkOptions) =>
    createOutcome(ids, options.dryRun),
  );
  const onDone = renderDialog(runBulk, [1, 2, 3]);
  expect(await screen.findByText('3 orders will be canceled.', { exact: false })).toBeTruthy();
  expect(screen.getByText(/\$12\.50 will be refunded to 1 customer/)).toBeTruthy();
  fireEvent.click(getConfirmButton());
  expect(await screen.findByText('3 orders canceled.')).toBeTruthy();
  expect(onDone).toHaveBeenCalledOnce();
  expect(runBulk.mock.calls.filter(([, , options]) => !options.dryRun)).toHaveLength(1);
});

it('continues with the same idempotency key after a lost connection', async () => {
  const keys: string[] = [];
  renderDialog(
    async (ids, _, options) => {
      if (!options.dryRun) keys.push(options.key);
      if (!options.dryRun && keys.length === 2)
        throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' });
      return createOutcome(ids, options.dryRun);
    },
    Array.from({ length: 1_500 }, (_, index) => index + 1),
  );
  await screen.findByText(/will be canceled/);
  fireEvent.click(getConfirmButton());
  expect(keys).toEqual([]);
  fireEvent.change(screen.getByLabelText('Type 1500 to confirm.'), { target: { value: '1,500' } });
  fireEvent.click(getConfirmButton());
  expect(await screen.findByText('The server cannot be reached.')).toBeTruthy();
  fireEvent.click(await screen.findByText('Continue'));
  await waitFor(() => expect(screen.getByText(/1.500 orders canceled\./)).toBeTruthy());
  expect(keys).toHaveLength(3);
  expect(keys[2]).toBe(keys[1]);
});

it('never shows the preview of an earlier input, and cannot be confirmed before the preview of the current input', async () => {
  vi.useFakeTimers();
  const pendingRequests: { amount: unknown; respond: () => void }[] = [];
  const confirmedAmounts: unknown[] = [];
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    tone: 'danger',
    isAllowedFor: () => true,
    runSingle: vi.fn(),
    initial: { amount: '3.01' },
    Form: ({ value, onChange }) => (
      <input
        aria-label="amount"
        value={String(value.amount)}
        onChange={(event) => onChange({ amount: event.target.value })}
      />
    ),
    runBulk: (ids, { amount }, { dryRun }) =>
      new Promise((resolve) => {
        const totals = { orders: 1, refunded: String(amount), users: 1, charged: '0' };
        if (!dryRun) confirmedAmounts.push(amount);
        pendingRequests.push({ amount, respond: () => resolve({ ...createOutcome(ids, dryRun), totals }) });
      }),
  };
  render(
    <PrimeReactProvider>
      <ActionDialog action={action} ids={ID_OF_SINGLE_RECORD} row={null} onClose={() => undefined} onDone={vi.fn()} />
    </PrimeReactProvider>,
    { wrapper: TestQueryProvider },
  );
  const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const confirm = () => fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  const typeAmount = (value: string) => fireEvent.change(screen.getByLabelText('amount'), { target: { value } });
  await advance(0);
  pendingRequests[0]?.respond();
  await advance(0);
  expect(screen.getByText(/\$3\.01 will be refunded/)).toBeTruthy();
  typeAmount('2.00');
  expect(screen.queryByText(/will be refunded/)).toBeNull();
  await advance(300);
  typeAmount('0.50');
  await advance(300);
  expect(pendingRequests.map(({ amount }) => amount)).toEqual(['3.01', '2.00', '0.50']);
  pendingRequests[1]?.respond();
  await advance(0);
  expect(screen.queryByText(/will be refunded/)).toBeNull();
  confirm();
  expect(confirmedAmounts).toEqual([]);
  pendingRequests[2]?.respond();
  await advance(0);
  expect(screen.getByText(/\$0\.50 will be refunded/)).toBeTruthy();
  confirm();
  expect(confirmedAmounts).toEqual(['0.50']);
});

it('previews many records in chunks, and adds up the outcomes of the chunks', async () => {
  const affected_ids = { users: [7], services: [1, 2], customers: [7, 8] };
  const runBulk = vi.fn(async (ids: readonly number[], _: unknown, options: ChunkOptions) => ({
    ...createOutcome(ids, options.dryRun),
    affected_ids,
  }));
  renderDialog(
    runBulk,
    Array.from({ length: 10_500 }, (_, index) => index + 1),
  );
  expect(await screen.findByText(/10.500 orders will be canceled\./)).toBeTruthy();
  // A customer who occurs in several chunks counts once.
  expect(screen.getByText(/Services affected: 2\. Customers affected: 2\./)).toBeTruthy();
  expect(screen.getByText(/will be refunded to 1 customer\./)).toBeTruthy();
  expect(runBulk.mock.calls.every(([, , options]) => options.dryRun)).toBe(true);
});

it('requires the user to type the number of records for large amounts, and offers undo', async () => {
  const undo = { request_id: 'r1', records: 2 };
  renderDialog(
    async (ids, _, options) => ({
      ...createOutcome(ids, options.dryRun),
      undo,
      totals: { orders: 2, refunded: '1000.01', users: 1, charged: '0', services: 2, customers: 1 },
    }),
    [1, 2],
  );
  expect(await screen.findByText(/Services affected: 2\. Customers affected: 1\./)).toBeTruthy();
  fireEvent.change(screen.getByLabelText('Type 2 to confirm.'), { target: { value: '2' } });
  fireEvent.click(getConfirmButton());
  expect(await screen.findByText('2 orders canceled.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy();
});

it('cannot be confirmed after a failed preview', async () => {
  let isServerDown = true;
  const runBulk = vi.fn(async (ids: readonly number[], _: unknown, options: ChunkOptions) => {
    if (isServerDown) throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' });
    return createOutcome(ids, options.dryRun);
  });
  renderDialog(runBulk, [1, 2]);
  expect(await screen.findByText('The server cannot be reached.')).toBeTruthy();
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  expect(runBulk.mock.calls.every(([, , options]) => options.dryRun)).toBe(true);
  isServerDown = false;
  fireEvent.click(screen.getByText('Try again'));
  expect(await screen.findByText('2 orders will be canceled.', { exact: false })).toBeTruthy();
});

it('cannot be confirmed by a key that is held down', async () => {
  const runBulk = vi.fn(async (ids: readonly number[], _: unknown, options: ChunkOptions) =>
    createOutcome(ids, options.dryRun),
  );
  renderDialog(runBulk, [1]);
  const confirm = await screen.findByText('Cancel order');
  expect(fireEvent.keyDown(confirm, { key: 'Enter', repeat: true })).toBe(false);
});

it('warns that records may be skipped if the form is not complete enough for a preview', async () => {
  const runBulk = vi.fn();
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    isAllowedFor: () => true,
    runSingle: vi.fn(),
    runBulk,
    isReady: () => false,
    Form: () => null,
  };
  render(createDialogElement(action, [1, 2], null), { wrapper: TestQueryProvider });
  expect(await screen.findByText('Records that cannot be changed are skipped', { exact: false })).toBeTruthy();
  expect(runBulk).not.toHaveBeenCalled();
});

it('undoes the request by its id, and offers no undo if the response contains no undo offer', async () => {
  const sentBodies: unknown[] = [];
  const fetchMock = vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    sentBodies.push([new URL((request as Request).url).pathname, await (request as Request).json()]);
    const body = {
      processed: 1,
      skipped: [],
      totals: { orders: 1, refunded: '0', users: 0, charged: '0' },
      dry_run: false,
    };
    return new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } });
  });
  const createRunBulk = (undo: object) => async (ids: readonly number[], _: unknown, options: ChunkOptions) => ({
    ...createOutcome(ids, options.dryRun),
    totals: { orders: ids.length, refunded: '0', users: 0, charged: '16' },
    ...undo,
  });
  toast.mockClear();
  renderDialog(createRunBulk({}), [1]);
  expect(
    await screen.findByText('Customers will be charged $16.00. Charges are final.', { exact: false }),
  ).toBeTruthy();
  expect(document.querySelector('.preview-final')).toBeTruthy();
  fireEvent.click(screen.getByText('Cancel order'));
  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  expect(toast.mock.lastCall?.[0].action).toBeUndefined();
  cleanup();
  renderDialog(createRunBulk({ undo: { request_id: 'r-7', records: 1 } }), [1]);
  await screen.findByText('1 order will be canceled.', { exact: false });
  expect(document.querySelector('.preview-final')).toBeNull();
  fireEvent.click(screen.getByText('Cancel order'));
  await waitFor(() => expect(toast.mock.lastCall?.[0].action).toBeTruthy());
  toast.mock.lastCall?.[0].action.onClick();
  await waitFor(() => expect(sentBodies).toEqual([['/api/v1/admin/undo', { request_id: 'r-7' }]]));
  fetchMock.mockRestore();
});

it('sends no dry run while the action runs', async () => {
  vi.useFakeTimers();
  const requestKinds: string[] = [];
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    isAllowedFor: () => true,
    runSingle: vi.fn(),
    Form: ({ onChange }) => (
      <input aria-label="amount" onChange={(event) => onChange({ amount: event.target.value })} />
    ),
    runBulk: async (ids, _, { dryRun }) => {
      requestKinds.push(dryRun ? 'preview' : 'run');
      if (!dryRun) await new Promise((resolve) => setTimeout(resolve, 1_000));
      return createOutcome(ids, dryRun);
    },
  };
  const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const { rerender } = render(createDialogElement(action, [1], null), { wrapper: TestQueryProvider });
  await advance(0);
  rerender(createDialogElement({ ...action }, [1], null));
  await advance(400);
  expect(requestKinds).toEqual(['preview']);
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  rerender(createDialogElement({ ...action }, [1], null));
  fireEvent.change(screen.getByLabelText('amount'), { target: { value: '1' } });
  await advance(2_000);
  rerender(createDialogElement({ ...action }, [1], null));
  await advance(2_000);
  expect(screen.getByText('1 order canceled.')).toBeTruthy();
  expect(requestKinds).toEqual(['preview', 'run']);
});

it('previews a single record with its own endpoint, and keeps edits if the initial values arrive later', async () => {
  vi.useFakeTimers();
  const runBulk = vi.fn();
  let resolveInitial: (initial: Record<string, unknown>) => void = () => {};
  const runSingle = vi.fn(async (_id: number, input: Record<string, unknown>) => ({
    data: { id: 1 },
    refunded: input.amount,
  }));
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    isAllowedFor: () => true,
    runSingle,
    runBulk,
    hasSinglePreview: true,
    loadInitial: () => new Promise((resolve) => (resolveInitial = resolve)),
    Form: ({ value, onChange }) => (
      <input
        aria-label="amount"
        value={String(value.amount ?? '')}
        onChange={(event) => onChange({ amount: event.target.value })}
      />
    ),
  };
  const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  render(createDialogElement(action, ID_OF_SINGLE_RECORD, { id: 1 }), { wrapper: TestQueryProvider });
  await advance(0);
  fireEvent.change(screen.getByLabelText('amount'), { target: { value: '0.50' } });
  resolveInitial({ amount: '3.01' });
  await advance(0);
  await advance(400);
  expect(screen.getByText(/\$0\.50 will be refunded to 1 customer/)).toBeTruthy();
  expect(runBulk).not.toHaveBeenCalled();
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  expect(runSingle.mock.lastCall).toMatchObject([1, { amount: '0.50' }, { dryRun: false }]);
});

it('shows the errors of a rejected dry run, and cannot be confirmed', async () => {
  const fields = { amount: ['The amount is more than was paid.'] };
  const runBulk = vi.fn(async (_ids: readonly number[], _: unknown, _options: ChunkOptions): Promise<BulkOutcome> => {
    throw new Problem({ status: 422, code: 'invalid', message: 'The form is wrong.', fields });
  });
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    isAllowedFor: () => true,
    runSingle: vi.fn(),
    runBulk,
    Form: ({ errors }) => <p>{errors.amount}</p>,
  };
  render(createDialogElement(action, [1, 2], null), { wrapper: TestQueryProvider });
  expect(await screen.findByText('The amount is more than was paid.')).toBeTruthy();
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  expect(runBulk.mock.calls.every(([, , options]) => options.dryRun)).toBe(true);
});

it('shows only those errors above the buttons that the form does not show', async () => {
  const fields = { amount: ['Too much.'], reason: ['Too long.'] };
  const runSingle = () =>
    Promise.reject(new Problem({ status: 422, code: 'invalid', message: 'The form is wrong.', fields }));
  const Form: Action<Row>['Form'] = ({ errors }) => <p>{`At its field: ${errors.amount}`}</p>;
  const action: Action<Row> = {
    name: 'cancel',
    icon: 'times',
    isAllowedFor: () => true,
    runSingle,
    runBulk: vi.fn(),
    hasSinglePreview: true,
  };
  render(createDialogElement({ ...action, Form, fields: ['amount'] }, ID_OF_SINGLE_RECORD, { id: 1 }), {
    wrapper: TestQueryProvider,
  });
  expect(await screen.findByText('At its field: Too much.')).toBeTruthy();
  expect(screen.getByRole('alert').textContent).toContain('Too long.');
  expect(screen.getByRole('alert').textContent).not.toContain('Too much.');
});

it('shows the reason for each record if the server changed no record', async () => {
  const skipped = [
    { id: 1, code: 'order_not_cancelable', message: 'Order 1 is completed.' },
    { id: 2, code: 'not_found', message: 'There is no order 2.' },
  ];
  const body = JSON.stringify({ code: 'nothing_processed', message: 'None.', request_id: 'r', skipped });
  const init = { status: 422, headers: { 'Content-Type': 'application/json' } };
  const fetchMock = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(body, init));
  renderDialog(
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
  fetchMock.mockRestore();
});

it('requires a new confirmation if a price below the minimum margin changes', async () => {
  const sentBodies: unknown[] = [];
  const fields = { 'packages.0.discount_fraction': ['9.9 is the lowest possible price. Send confirm_below_margin.'] };
  const action: Action<Row> = {
    name: 'changePackages',
    icon: 'sliders-h',
    isAllowedFor: () => true,
    runSingle: vi.fn(),
    initial: { discount: '50' },
    Form: ({ value, onChange }) => (
      <input
        aria-label="discount"
        value={String(value.discount)}
        onChange={(event) => onChange({ ...value, discount: event.target.value })}
      />
    ),
    runBulk: async (ids, input, { dryRun }) => {
      if (!input.confirm_below_margin)
        throw new Problem({ status: 422, code: 'below_minimum_margin', message: 'Too low.', fields });
      if (!dryRun) sentBodies.push(input);
      return createOutcome(ids, dryRun);
    },
  };
  render(createDialogElement(action, [1, 2], null), { wrapper: TestQueryProvider });
  fireEvent.click(await screen.findByLabelText('Save although the price leaves less than the minimum margin'));
  await screen.findByText(/will be updated/);
  fireEvent.change(screen.getByLabelText('discount'), { target: { value: '60' } });
  const checkbox = await screen.findByLabelText('Save although the price leaves less than the minimum margin');
  expect((checkbox as HTMLInputElement).checked).toBe(false);
  fireEvent.click(checkbox);
  await screen.findByText(/will be updated/);
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  await waitFor(() => expect(sentBodies).toEqual([{ discount: '60', confirm_below_margin: true }]));
});
