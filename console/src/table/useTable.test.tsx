import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { type List, scopeToRecord } from './listDefinition';
import { Pagination } from './Pagination';
import { useTable } from './useTable';

interface Row {
  id: number;
}

const LIST: List<Row> = { name: 'orders', title: 'orders.title', path: '/orders', columns: [] };
const pendingRequests: { url: URL; signal: AbortSignal; respond: (data: Row[]) => void; fail: () => void }[] = [];

beforeAll(initI18n);
beforeEach(() => {
  pendingRequests.length = 0;
  history.replaceState(null, '', '/orders');
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (request, init) =>
      new Promise((resolve, reject) => {
        const signal = init?.signal as AbortSignal;
        signal.addEventListener('abort', () => reject(signal.reason));
        const body = (data: Row[]) => JSON.stringify({ recordsTotal: 90, recordsFiltered: 90, data });
        const respond = (data: Row[]) => resolve(new Response(body(data)));
        pendingRequests.push({
          url: new URL((request as Request).url),
          signal,
          respond,
          fail: () => reject(new TypeError('gone')),
        });
      }),
  );
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

let table: ReturnType<typeof useTable<Row>>;

function TestList({ list }: { list: List<Row> }) {
  table = useTable(list);
  return (
    <>
      <p>{table.rows ? `rows ${table.rows.map((row) => row.id).join(',')}` : 'no rows'}</p>
      <Pagination table={table} />
    </>
  );
}

function renderList(list: List<Row>) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const createElement = (list: List<Row>) => (
    <QueryClientProvider client={client}>
      <TestList list={list} />
    </QueryClientProvider>
  );
  const { rerender } = render(createElement(list));
  return (newList: List<Row>) => rerender(createElement(newList));
}

it('keeps the previous rows if the next page fails to load, and shows the number of the failed page', async () => {
  renderList(LIST);
  await waitFor(() => expect(pendingRequests).toHaveLength(1));
  pendingRequests[0]?.respond([{ id: 1 }]);
  await screen.findByText('rows 1');
  act(() => screen.getByRole('button', { name: 'Next page' }).click());
  await waitFor(() => expect(pendingRequests).toHaveLength(2));
  expect(pendingRequests[1]?.url.searchParams.get('start')).toBe('30');
  pendingRequests[1]?.fail();
  expect((await screen.findByRole('alert')).textContent).toBe('Page 2 could not be loaded.');
  expect(screen.getByText(/1–30 \/ 90/)).toBeTruthy();
  act(() => screen.getByRole('button', { name: 'Next page' }).click());
  await waitFor(() => expect(pendingRequests).toHaveLength(3));
  pendingRequests[2]?.respond([{ id: 31 }]);
  await screen.findByText('rows 31');
  expect(screen.getByText(/31–60 \/ 90/)).toBeTruthy();
});

it('does not show the rows of the list of one record in the list of another record', async () => {
  const showList = renderList(scopeToRecord(LIST, { 'user.id': '7' }));
  await waitFor(() => expect(pendingRequests).toHaveLength(1));
  pendingRequests[0]?.respond([{ id: 70 }]);
  await screen.findByText('rows 70');
  act(() => table.selection.replace([70]));
  showList(scopeToRecord(LIST, { 'user.id': '8' }));
  expect(screen.getByText('no rows')).toBeTruthy();
  await waitFor(() => expect(pendingRequests).toHaveLength(2));
  expect(table.selection.size).toBe(0);
  pendingRequests[1]?.fail();
  await waitFor(() => expect(table.problem).not.toBeNull());
  expect(screen.getByText('no rows')).toBeTruthy();
});

it('aborts a request for an earlier state', async () => {
  renderList(LIST);
  await waitFor(() => expect(pendingRequests).toHaveLength(1));
  pendingRequests[0]?.respond([{ id: 1 }]);
  await screen.findByText('rows 1');
  act(() => table.changeState({ page: 2 }));
  await waitFor(() => expect(pendingRequests).toHaveLength(2));
  act(() => table.changeState({ page: 3 }));
  await waitFor(() => expect(pendingRequests[1]?.signal.aborted).toBe(true));
  // An aborted request is not a problem.
  expect(table.problem).toBeNull();
  pendingRequests[2]?.respond([{ id: 61 }]);
  await screen.findByText('rows 61');
  expect(table.problem).toBeNull();
});

it('keeps persistent filters on reset', async () => {
  history.replaceState(null, '', '/orders?status=approved&user=anna&q=x&page=2');
  const columns = ['id', 'status', 'user'].map((name) => ({ name, label: 'x', width: 1, cell: () => null }));
  const list = {
    ...LIST,
    columns,
    persistentFilters: ['status'],
    defaultFilters: { status: 'pending', user: '' },
  } as List<Row>;
  renderList(list);
  await waitFor(() => expect(pendingRequests).toHaveLength(1));
  act(() => table.resetFilters());
  await waitFor(() => expect(table.state.filters).toEqual({ status: 'approved' }));
  expect([table.state.search, table.state.page]).toEqual(['', 1]);
});
