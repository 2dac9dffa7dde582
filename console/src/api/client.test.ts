import { afterEach, expect, it, vi } from 'vitest';
import { get } from './client';
import { reachability } from './reachability';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('aborts a request after the timeout, and reports the server as unreachable until the next response', async () => {
  const requestedTimeouts: number[] = [];
  const timeoutController = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    requestedTimeouts.push(ms);
    return timeoutController.signal;
  });
  const fetchMock = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(
      (_, init) =>
        new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
    );
  const request = get('/api/v1/admin/orders');
  timeoutController.abort(new DOMException('late', 'TimeoutError'));
  await expect(request).rejects.toMatchObject({ code: 'unreachable' });
  expect(requestedTimeouts).toEqual([30_000]);
  expect(reachability.isReachable()).toBe(false);
  fetchMock.mockImplementation(async () => new Response('{}'));
  // A download has no timeout.
  await get('/api/v1/admin/orders', { accept: 'text/csv' });
  expect(requestedTimeouts).toHaveLength(1);
  expect(reachability.isReachable()).toBe(true);
});
