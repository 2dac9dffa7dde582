import { afterEach, expect, it, vi } from 'vitest';
import { get } from './client';
import { reachability } from './reachability';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('aborts a call after the timeout, and reports the server as unreachable until the next response', async () => {
  const timeouts: number[] = [];
  const timeout = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    timeouts.push(ms);
    return timeout.signal;
  });
  const fetchMock = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(
      (_, init) =>
        new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
    );
  const call = get('/api/v1/admin/orders');
  timeout.abort(new DOMException('late', 'TimeoutError'));
  await expect(call).rejects.toMatchObject({ code: 'unreachable' });
  expect(timeouts).toEqual([30_000]);
  expect(reachability.isReachable()).toBe(false);
  fetchMock.mockImplementation(async () => new Response('{}'));
  // A download has no timeout.
  await get('/api/v1/admin/orders', { accept: 'text/csv' });
  expect(timeouts).toHaveLength(1);
  expect(reachability.isReachable()).toBe(true);
});
