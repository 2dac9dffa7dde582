// Errors that the console did not expect, for the operator's log. Never more than a few a page, and never an error of its own.
import { session } from '@/session/store';
import { api } from './client';
import { Problem } from './problem';

/** A screen that fails at each drawing reports no more than these. */
const MOST_REPORTS = 5;
/** As the server bounds them, in characters. */
const MAX_MESSAGE = 1_000;
const MAX_PATH = 200;
const MAX_STACK = 8_000;

let reports = 0;

/** What the server answered is no error of the console, and a request that was given up is none at all. */
function isExpected(error: unknown): boolean {
  return error instanceof Problem || (error instanceof DOMException && error.name === 'AbortError');
}

/** Tells the server of an error. Without a session there is no caller whom it would believe. */
export function reportError(error: unknown): void {
  if (isExpected(error) || reports >= MOST_REPORTS || !session.state().profile) return;
  reports += 1;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const body = {
    message: (message || 'Error without a message').slice(0, MAX_MESSAGE),
    path: location.pathname.slice(0, MAX_PATH),
    ...(stack ? { stack: stack.slice(0, MAX_STACK) } : {}),
  };
  void api.POST('/api/v1/admin/client-errors', { params: {}, body }).catch(() => undefined);
}

/** Reports what no screen caught. */
export function reportUncaught(): void {
  window.addEventListener('error', (event) => reportError(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => reportError(event.reason));
}
