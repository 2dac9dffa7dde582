// Reports unexpected errors of the console to the log of the server. This module must never throw, and must send only a few reports
// per page load.
import { session } from '@/session/store';
import { api } from './client';
import { Problem } from './problem';

/** Maximum number of reports per page load, because a screen with a bug may fail in every render. */
const MAX_REPORTS = 5;
/** The server rejects longer strings. */
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_PATH_LENGTH = 200;
const MAX_STACK_LENGTH = 8_000;

let reportCount = 0;

/** Whether the error is an error response or an aborted request, which are not bugs of the console. */
function isExpected(error: unknown): boolean {
  return error instanceof Problem || (error instanceof DOMException && error.name === 'AbortError');
}

/** Reports an error. Sends nothing if the user is not signed in, because the endpoint requires a session. */
export function reportError(error: unknown): void {
  if (isExpected(error) || reportCount >= MAX_REPORTS || !session.getState().profile) return;
  reportCount += 1;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const body = {
    message: (message || 'Error without a message').slice(0, MAX_MESSAGE_LENGTH),
    path: location.pathname.slice(0, MAX_PATH_LENGTH),
    ...(stack ? { stack: stack.slice(0, MAX_STACK_LENGTH) } : {}),
  };
  void api.POST('/api/v1/admin/client-errors', { params: {}, body }).catch(() => undefined);
}

/** Starts to report all uncaught errors and unhandled rejections. */
export function reportUncaughtErrors(): void {
  window.addEventListener('error', (event) => reportError(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => reportError(event.reason));
}
