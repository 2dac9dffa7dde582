import { afterEach, expect, it, vi } from 'vitest';
import { get } from './client';
import { reachability } from './reach';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('gives up a server that does not answer, and knows that it is not reached until it answers', async () => {
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
  expect(reachability.isReached()).toBe(false);
  fetched.mockImplementation(async () => new Response('{}'));
  // A file has no limit.
  await get('/api/v1/admin/orders', { accept: 'text/csv' });
  expect(limits).toHaveLength(1);
  expect(reachability.isReached()).toBe(true);
});
