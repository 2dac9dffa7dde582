import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import Statistics from './Statistics';

vi.mock('@/ui/PeriodChart', () => ({ PeriodChart: () => null }));

const ROW = {
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
const requests: { answer: (data: unknown[]) => void; fail: () => void }[] = [];

beforeAll(initI18n);
beforeEach(() => {
  requests.length = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    () =>
      new Promise((resolve) => {
        const answer = (data: unknown[]) => resolve(new Response(JSON.stringify({ data })));
        const fail = () => resolve(new Response(JSON.stringify({ code: 'x', message: 'Not now.' }), { status: 500 }));
        requests.push({ answer, fail });
      }),
  );
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function TestStatistics({ orders }: { orders?: readonly number[] }) {
  return <Statistics {...(orders ? { orders } : {})} />;
}

function open(orders?: readonly number[]) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const of = (orders?: readonly number[]) => (
    <QueryClientProvider client={client}>
      <TestStatistics {...(orders ? { orders } : {})} />
    </QueryClientProvider>
  );
  const { rerender } = render(of(orders));
  return (next: readonly number[]) => rerender(of(next));
}

const totals = () => [...document.querySelectorAll('.totals dd')].map((total) => total.textContent);
const UNKNOWN = ['–', '–', '–', '–'];
const byWeek = () => fireEvent.click(screen.getByText('Weeks'));

it('shows no zeros while loading or after a failure', async () => {
  open();
  expect(totals()).toEqual(UNKNOWN);
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  act(() => requests[0]?.fail());
  await screen.findByText('Not now.');
  expect(totals()).toEqual(UNKNOWN);
});

it('shows zeros for a period without orders', async () => {
  open();
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  act(() => requests[0]?.answer([]));
  await vi.waitFor(() => expect(totals()[0]).toBe('0'));
});

it('keeps the numbers until those of another grouping are loaded', async () => {
  open();
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  act(() => requests[0]?.answer([ROW]));
  await vi.waitFor(() => expect(totals()[0]).toBe('12'));
  byWeek();
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  expect(totals()[0]).toBe('12');
  expect(document.querySelector('.totals')?.getAttribute('aria-busy')).toBe('true');
  act(() => requests[1]?.fail());
  await screen.findByText('Not now.');
  // After the failure the numbers of the former grouping must not be shown.
  expect(totals()).toEqual(UNKNOWN);
});

it('does not show the numbers of other orders', async () => {
  const show = open([1, 2]);
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  act(() => requests[0]?.answer([ROW]));
  await vi.waitFor(() => expect(totals()[0]).toBe('12'));
  show([3]);
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  expect(totals()).toEqual(UNKNOWN);
});
