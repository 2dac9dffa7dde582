// Reports unexpected errors of the console to the server's log. Sends at most a few per page load, and never throws itself.
import { session } from '@/session/store';
import { api } from './client';
import { Problem } from './problem';

/** Reports per page load, for a screen that fails on every render. */
const MAX_REPORTS = 5;
/** The server's limits, in characters. */
const MAX_MESSAGE = 1_000;
const MAX_PATH = 200;
const MAX_STACK = 8_000;

let reports = 0;

/** Error responses and aborted requests are not errors of the console. */
function isExpected(error: unknown): boolean {
  return error instanceof Problem || (error instanceof DOMException && error.name === 'AbortError');
}

/** Reports an error to the server. The endpoint requires a session: without one nothing is sent. */
export function reportError(error: unknown): void {
  if (isExpected(error) || reports >= MAX_REPORTS || !session.state().profile) return;
  reports += 1;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const body = {
    message: (message || 'Error without a message').slice(0, MAX_MESSAGE),
    path: location.pathname.slice(0, MAX_PATH),
    ...(stack ? { stack: stack.slice(0, MAX_STACK) } : {}),
  };
  void api.POST('/api/v1/admin/client-errors', { params: {}, body }).catch(() => undefined);
}

/** Reports uncaught errors and unhandled rejections. */
export function reportUncaught(): void {
  window.addEventListener('error', (event) => reportError(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => reportError(event.reason));
}
