import { afterEach, expect, it, vi } from 'vitest';
import { get } from './client';
import { reachability } from './reachability';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('aborts a call after the timeout, and reports the server as unreachable until the next answer', async () => {
  const limits: number[] = [];
  const limit = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return limit.signal;
  });
  const fetched = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(
      (_, init) =>
        new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
    );
  const call = get('/api/v1/admin/orders');
  limit.abort(new DOMException('late', 'TimeoutError'));
  await expect(call).rejects.toMatchObject({ code: 'unreachable' });
  expect(limits).toEqual([30_000]);
  expect(reachability.isReachable()).toBe(false);
  fetched.mockImplementation(async () => new Response('{}'));
  // A download has no timeout.
  await get('/api/v1/admin/orders', { accept: 'text/csv' });
  expect(limits).toHaveLength(1);
  expect(reachability.isReachable()).toBe(true);
});
