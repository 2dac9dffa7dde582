import { beforeEach, expect, it, vi } from 'vitest';

const post = vi.fn(() => Promise.resolve({ response: new Response() }));
vi.mock('./client', () => ({ api: { POST: post } }));
vi.mock('@/session/store', () => ({ session: { getState: () => ({ profile: {} }) } }));

let reportError: typeof import('./report').reportError;
let reportUncaughtErrors: typeof import('./report').reportUncaughtErrors;

beforeEach(async () => {
  post.mockClear();
  vi.resetModules();
  ({ reportError, reportUncaughtErrors } = await import('./report'));
});

it("reports an uncaught error with its path and stack, truncated to the server's limits", () => {
  const error = new Error('x'.repeat(2_000));
  error.stack = 'y'.repeat(9_000);
  reportError(error);
  const [path, { body }] = post.mock.calls[0] as unknown as [string, { body: Record<string, string> }];
  expect(path).toBe('/api/v1/admin/client-errors');
  expect(body).toEqual({ message: 'x'.repeat(1_000), path: location.pathname, stack: 'y'.repeat(8_000) });
});

it('reports at most five errors per page load', () => {
  for (let count = 0; count < 9; count += 1) reportError(new Error(`error ${count}`));
  expect(post).toHaveBeenCalledTimes(5);
});

it('does not report error responses or aborted requests', async () => {
  const { Problem } = await import('./problem');
  reportError(new Problem({ status: 422, code: 'invalid', message: 'no' }));
  reportError(new DOMException('aborted', 'AbortError'));
  expect(post).not.toHaveBeenCalled();
});

it('reports uncaught errors and unhandled rejections', () => {
  reportUncaughtErrors();
  window.dispatchEvent(new ErrorEvent('error', { error: new Error('thrown') }));
  const rejection = new Event('unhandledrejection') as Event & { reason?: unknown };
  rejection.reason = new Error('rejected');
  window.dispatchEvent(rejection);
  expect(post).toHaveBeenCalledTimes(2);
});
