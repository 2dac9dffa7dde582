// Reports unexpected errors of the console to the log of the server. It must never throw, and sends only a few reports per page
// load.
import { session } from '@/session/store';
import { api } from './client';
import { Problem } from './problem';

/** The most reports per page load: a broken screen may fail in every render. */
const MAX_REPORTS = 5;
/** The server's limits, in characters. */
const MAX_MESSAGE = 1_000;
const MAX_PATH = 200;
const MAX_STACK = 8_000;

let reportCount = 0;

/** Error responses and aborted requests are not errors of the console. */
function isExpected(error: unknown): boolean {
  return error instanceof Problem || (error instanceof DOMException && error.name === 'AbortError');
}

/** Reports an error. Sends nothing without a session, which the endpoint requires. */
export function reportError(error: unknown): void {
  if (isExpected(error) || reportCount >= MAX_REPORTS || !session.state().profile) return;
  reportCount += 1;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const body = {
    message: (message || 'Error without a message').slice(0, MAX_MESSAGE),
    path: location.pathname.slice(0, MAX_PATH),
    ...(stack ? { stack: stack.slice(0, MAX_STACK) } : {}),
  };
  void api.POST('/api/v1/admin/client-errors', { params: {}, body }).catch(() => undefined);
}

/** Reports all uncaught errors and unhandled rejections from now on. */
export function reportUncaughtErrors(): void {
  window.addEventListener('error', (event) => reportError(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => reportError(event.reason));
}
