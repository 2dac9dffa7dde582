import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import Statistics from './Statistics';

// Replaces the chart, because jsdom has no canvas.
vi.mock('@/ui/PeriodChart', () => ({ PeriodChart: () => null }));

beforeAll(initI18n);
beforeEach(() => window.history.replaceState(null, '', '/coupons/statistics?coupons=3'));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('requests the selected sort order, coupons and page size from the server', async () => {
  const requests: { path: string; body: unknown }[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    requests.push({ path: new URL(request.url).pathname, body: await request.json() });
    return Response.json({
      recordsFiltered: 90,
      data: [{ date: null, coupon_id: 3, name: 'Students', code: 'STUDENTS', received: '9', spent: '1', usages: 2 }],
      totals: { received: '9', spent: '1', usages: 2 },
      days: [],
    });
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PrimeReactProvider>
        <Statistics />
      </PrimeReactProvider>
    </QueryClientProvider>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Benefits given' }));
  await waitFor(() => expect(requests.at(-1)?.body).toMatchObject({ coupons: [3], sort: 'spent', descending: false }));
  fireEvent.click(screen.getByRole('button', { name: 'Benefits given' }));
  await waitFor(() => expect(requests.at(-1)?.body).toMatchObject({ sort: 'spent', descending: true }));
  expect(screen.getByRole('columnheader', { name: 'Benefits given' }).getAttribute('aria-sort')).toBe('descending');
  fireEvent.change(screen.getByRole('combobox', { name: 'Rows' }), { target: { value: '50' } });
  await waitFor(() => expect(requests.at(-1)?.body).toMatchObject({ start: 0, length: 50 }));
  fireEvent.click(screen.getByRole('button', { name: 'Next page' }));
  await waitFor(() => expect(requests.at(-1)?.body).toMatchObject({ start: 50, length: 50, sort: 'spent' }));
  fireEvent.click(screen.getByRole('button', { name: 'Remove filter Coupons' }));
  await waitFor(() => expect(requests.at(-1)?.body).toEqual({ start: 0, length: 50, sort: 'spent', descending: true }));
  expect(requests.at(-1)?.path).toBe('/api/v1/admin/coupons/statistics');
});
