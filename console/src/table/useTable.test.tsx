import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { type List, within } from './declare';
import { Pages } from './Pages';
import { useTable } from './useTable';

interface Row {
  id: number;
}

const LIST: List<Row> = { name: 'orders', title: 'orders.title', path: '/orders', columns: [] };
const asked: { url: URL; signal: AbortSignal; answer: (data: Row[]) => void; fail: () => void }[] = [];

beforeAll(startTexts);
beforeEach(() => {
  asked.length = 0;
  history.replaceState(null, '', '/orders');
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (request, init) =>
      new Promise((resolve, reject) => {
        const signal = init?.signal as AbortSignal;
        signal.addEventListener('abort', () => reject(signal.reason));
        const body = (data: Row[]) => JSON.stringify({ recordsTotal: 90, recordsFiltered: 90, data });
        const answer = (data: Row[]) => resolve(new Response(body(data)));
        asked.push({
          url: new URL((request as Request).url),
          signal,
          answer,
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

function Shown({ list }: { list: List<Row> }) {
  table = useTable(list);
  return (
    <>
      <p>{table.rows ? `rows ${table.rows.map((row) => row.id).join(',')}` : 'no rows'}</p>
      <Pages table={table} />
    </>
  );
}

function open(list: List<Row>) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const of = (list: List<Row>) => (
    <QueryClientProvider client={client}>
      <Shown list={list} />
    </QueryClientProvider>
  );
  const { rerender } = render(of(list));
  return (next: List<Row>) => rerender(of(next));
}

it('leaves the range of the rows standing where the next page cannot be loaded, and says which page it was', async () => {
  open(LIST);
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer([{ id: 1 }]);
  await screen.findByText('rows 1');
  act(() => screen.getByRole('button', { name: 'Next page' }).click());
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]?.url.searchParams.get('start')).toBe('30');
  asked[1]?.fail();
  expect((await screen.findByRole('alert')).textContent).toBe('Page 2 could not be loaded.');
  expect(screen.getByText(/1–30 \/ 90/)).toBeTruthy();
  act(() => screen.getByRole('button', { name: 'Next page' }).click());
  await waitFor(() => expect(asked).toHaveLength(3));
  asked[2]?.answer([{ id: 31 }]);
  await screen.findByText('rows 31');
  expect(screen.getByText(/31–60 \/ 90/)).toBeTruthy();
});

it("shows no rows of one record's list under another's", async () => {
  const show = open(within(LIST, { 'user.id': '7' }));
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer([{ id: 70 }]);
  await screen.findByText('rows 70');
  act(() => table.selection.freeze([70]));
  show(within(LIST, { 'user.id': '8' }));
  expect(screen.getByText('no rows')).toBeTruthy();
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(table.selection.size).toBe(0);
  asked[1]?.fail();
  await waitFor(() => expect(table.problem).not.toBeNull());
  expect(screen.getByText('no rows')).toBeTruthy();
});

it('gives up a request that a newer one overtakes', async () => {
  open(LIST);
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer([{ id: 1 }]);
  await screen.findByText('rows 1');
  act(() => table.change({ page: 2 }));
  await waitFor(() => expect(asked).toHaveLength(2));
  act(() => table.change({ page: 3 }));
  await waitFor(() => expect(asked[1]?.signal.aborted).toBe(true));
  // The end of the request that was given up is no problem, neither here nor on its page.
  expect(table.problem).toBeNull();
  asked[2]?.answer([{ id: 61 }]);
  await screen.findByText('rows 61');
  expect(table.problem).toBeNull();
});

it('keeps the filters that stay where the others are reset', async () => {
  history.replaceState(null, '', '/orders?status=approved&user=anna&q=x&page=2');
  const columns = ['id', 'status', 'user'].map((name) => ({ name, label: 'x', width: 1, cell: () => null }));
  const requests = { ...LIST, columns, stays: ['status'], defaults: { status: 'pending', user: '' } } as List<Row>;
  open(requests);
  await waitFor(() => expect(asked).toHaveLength(1));
  act(() => table.reset());
  await waitFor(() => expect(table.state.filters).toEqual({ status: 'approved' }));
  expect([table.state.search, table.state.page]).toEqual(['', 1]);
});
