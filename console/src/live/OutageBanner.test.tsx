import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { get } from '@/api/client';
import { isRetried, Problem, retryDelay } from '@/api/problem';
import { startTexts } from '@/i18n';
import { OutageBanner } from './OutageBanner';

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function Name() {
  const { data } = useQuery({
    queryKey: ['name'],
    queryFn: async () => ((await (await get('/api/v1/admin/name')).json()) as { name: string }).name,
  });
  return <p>{data ?? 'nothing yet'}</p>;
}

it('says that the database is away, keeps what was typed, and goes on by itself', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let isAway = true;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    isAway
      ? new Response(JSON.stringify({ message: 'away', code: 'database_unavailable' }), {
          status: 503,
          headers: { 'retry-after': '2' },
        })
      : new Response(JSON.stringify({ name: 'Anna' })),
  );
  const queries = new QueryClient({ defaultOptions: { queries: { retry: isRetried, retryDelay } } });
  render(
    <QueryClientProvider client={queries}>
      <OutageBanner />
      <input aria-label="Comment" />
      <Name />
    </QueryClientProvider>,
  );
  await screen.findByText("The panel's database cannot be reached. Trying again…");
  const typed = screen.getByLabelText<HTMLInputElement>('Comment');
  typed.value = 'Half a sentence';
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(screen.getByRole('status')).toBeTruthy();
  isAway = false;
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  await screen.findByText('Anna');
  expect(screen.queryByRole('status')).toBeNull();
  expect(typed.value).toBe('Half a sentence');
});

it('waits as the server asks, and not for ever', () => {
  const away = new Problem({ status: 503, code: 'database_unavailable', message: 'away', retryAfterMs: 2_000 });
  expect([isRetried(0, away), isRetried(149, away), isRetried(150, away)]).toEqual([true, true, false]);
  expect(retryDelay(50, away)).toBe(2_000);
  const fault = new Problem({ status: 500, code: 'server_error', message: 'no' });
  expect([isRetried(1, fault), isRetried(2, fault)]).toEqual([true, false]);
  expect([retryDelay(0, fault), retryDelay(10, fault)]).toEqual([1_000, 30_000]);
  expect(isRetried(0, new Problem({ status: 422, code: 'invalid', message: 'no' }))).toBe(false);
});
