import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { get } from '@/api/client';
import { getRetryDelayMs, Problem, shouldRetry } from '@/api/problem';
import { initI18n } from '@/i18n';
import { OutageBanner } from './OutageBanner';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function FetchedName() {
  const { data } = useQuery({
    queryKey: ['name'],
    queryFn: async () => ((await (await get('/api/v1/admin/name')).json()) as { name: string }).name,
  });
  return <p>{data ?? 'nothing yet'}</p>;
}

it("shows a banner during a database outage, keeps the user's input, and recovers by itself", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let isDatabaseDown = true;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    isDatabaseDown
      ? new Response(JSON.stringify({ message: 'unavailable', code: 'database_unavailable' }), {
          status: 503,
          headers: { 'retry-after': '2' },
        })
      : new Response(JSON.stringify({ name: 'Anna' })),
  );
  const queryClient = new QueryClient({
    defaultOptions: { queries: { retry: shouldRetry, retryDelay: getRetryDelayMs } },
  });
  render(
    <QueryClientProvider client={queryClient}>
      <OutageBanner />
      <input aria-label="Comment" />
      <FetchedName />
    </QueryClientProvider>,
  );
  await screen.findByText('The panel cannot reach its database. Retrying…');
  const input = screen.getByLabelText<HTMLInputElement>('Comment');
  input.value = 'Half a sentence';
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(screen.getByRole('status')).toBeTruthy();
  isDatabaseDown = false;
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  await screen.findByText('Anna');
  expect(screen.queryByRole('status')).toBeNull();
  expect(input.value).toBe('Half a sentence');
});

it('retries a limited number of times, each time after the delay of Retry-After', () => {
  const outage = new Problem({
    status: 503,
    code: 'database_unavailable',
    message: 'unavailable',
    retryAfterMs: 2_000,
  });
  expect([shouldRetry(0, outage), shouldRetry(149, outage), shouldRetry(150, outage)]).toEqual([true, true, false]);
  expect(getRetryDelayMs(50, outage)).toBe(2_000);
  const serverError = new Problem({ status: 500, code: 'server_error', message: 'no' });
  expect([shouldRetry(1, serverError), shouldRetry(2, serverError)]).toEqual([true, false]);
  expect([getRetryDelayMs(0, serverError), getRetryDelayMs(10, serverError)]).toEqual([1_000, 30_000]);
  expect(shouldRetry(0, new Problem({ status: 422, code: 'invalid', message: 'no' }))).toBe(false);
});
