import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import Statistics from './Statistics';

vi.mock('@/ui/PeriodChart', () => ({ PeriodChart: () => null }));

const STATISTICS_ROW = {
  date: '2026-11-24',
  orders: 12,
  quantity: 3400,
  completed: 0,
  canceled: 0,
  cost: '0',
  refunded: '0',
  provider_cost: '7.50',
  revenue: '19.25',
};
const pendingRequests: { succeed: (data: unknown[]) => void; fail: () => void }[] = [];

beforeAll(initI18n);
beforeEach(() => {
  pendingRequests.length = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    () =>
      new Promise((resolve) => {
        const succeed = (data: unknown[]) => resolve(new Response(JSON.stringify({ data })));
        const fail = () => resolve(new Response(JSON.stringify({ code: 'x', message: 'Not now.' }), { status: 500 }));
        pendingRequests.push({ succeed, fail });
      }),
  );
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Renders the statistics of the given orders, or of all orders. Returns a function that renders the statistics of other orders. */
function renderStatistics(orders?: readonly number[]) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const createElement = (orders?: readonly number[]) => (
    <QueryClientProvider client={client}>
      <Statistics {...(orders ? { orders } : {})} />
    </QueryClientProvider>
  );
  const { rerender } = render(createElement(orders));
  return (orders: readonly number[]) => rerender(createElement(orders));
}

const visibleTotals = () => [...document.querySelectorAll('.totals dd')].map((total) => total.textContent);
const PLACEHOLDERS = ['–', '–', '–', '–'];
const groupByWeek = () => fireEvent.click(screen.getByText('Weeks'));

it('shows dashes and not zeros while loading and after a failure', async () => {
  renderStatistics();
  expect(visibleTotals()).toEqual(PLACEHOLDERS);
  await vi.waitFor(() => expect(pendingRequests).toHaveLength(1));
  act(() => pendingRequests[0]?.fail());
  await screen.findByText('Not now.');
  expect(visibleTotals()).toEqual(PLACEHOLDERS);
});

it('shows zeros for a period without orders', async () => {
  renderStatistics();
  await vi.waitFor(() => expect(pendingRequests).toHaveLength(1));
  act(() => pendingRequests[0]?.succeed([]));
  await vi.waitFor(() => expect(visibleTotals()[0]).toBe('0'));
});

it('shows the old numbers until the numbers of another grouping are loaded', async () => {
  renderStatistics();
  await vi.waitFor(() => expect(pendingRequests).toHaveLength(1));
  act(() => pendingRequests[0]?.succeed([STATISTICS_ROW]));
  await vi.waitFor(() => expect(visibleTotals()[0]).toBe('12'));
  groupByWeek();
  await vi.waitFor(() => expect(pendingRequests).toHaveLength(2));
  expect(visibleTotals()[0]).toBe('12');
  expect(document.querySelector('.totals')?.getAttribute('aria-busy')).toBe('true');
  act(() => pendingRequests[1]?.fail());
  await screen.findByText('Not now.');
  // After the failure, the numbers of the old grouping must not be shown.
  expect(visibleTotals()).toEqual(PLACEHOLDERS);
});

it('never shows the numbers of other orders', async () => {
  const changeOrders = renderStatistics([1, 2]);
  await vi.waitFor(() => expect(pendingRequests).toHaveLength(1));
  act(() => pendingRequests[0]?.succeed([STATISTICS_ROW]));
  await vi.waitFor(() => expect(visibleTotals()[0]).toBe('12'));
  changeOrders([3]);
  await vi.waitFor(() => expect(pendingRequests).toHaveLength(2));
  expect(visibleTotals()).toEqual(PLACEHOLDERS);
});
