// The only module that calls `fetch`. It asks the server to use the session cookie, waits until the user has signed in again when
// the session has ended, or has confirmed a sensitive action, and turns every failure into a `Problem`.
import createClient from 'openapi-fetch';
import { confirmation } from '@/session/confirmation';
import { session } from '@/session/store';
import { isOutageCode, Problem, problemOf, retryAfterOf } from './problem';
import { reachability } from './reachability';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

const TIMEOUT_MS = 30_000;

/**
 * Sends a request. After a 401 within a session the user is asked to sign in again, and after a 403 `confirmation_required` to
 * confirm the action; then the request is sent once more. `timeoutMs` is null for downloads, which have no limit.
 */
export async function send(request: Request, timeoutMs: number | null = TIMEOUT_MS): Promise<Response> {
  const repeated = request.clone();
  const response = await sendSignedIn(request, timeoutMs);
  if (!(await requiresConfirmation(response)) || !(await confirmation.request())) return response;
  return sendSignedIn(repeated, timeoutMs);
}

async function sendSignedIn(request: Request, timeoutMs: number | null): Promise<Response> {
  const retry = request.clone();
  const version = session.tokenVersion();
  const first = await fetchOnce(request, timeoutMs);
  if (first.status !== 401 || !session.canSignInAgain()) return first;
  // Another tab may have replaced the cookie during the call.
  const last = retry.clone();
  const second = await fetchOnce(retry, timeoutMs);
  if (second.status !== 401 || !session.canSignInAgain()) return second;
  await session.waitForSignIn(version);
  return fetchOnce(last, timeoutMs);
}

/** Whether the server requires a confirmation first. Reads a clone: the body of `response` stays readable. */
async function requiresConfirmation(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const body: { code?: string } | null = await response
    .clone()
    .json()
    .catch(() => null);
  return body?.code === 'confirmation_required';
}

async function fetchOnce(request: Request, timeoutMs: number | null): Promise<Response> {
  request.headers.set('X-Panel-Session', 'cookie');
  try {
    const signal = timeoutMs === null ? null : AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(request, signal ? { signal } : {});
    reachability.setReachable(true);
    reachability.setDatabaseUnavailable(await isOutage(response));
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    reachability.setReachable(false);
    throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' });
  }
}

/** Whether the server reports that its database is unavailable. Reads a clone of a 503 only. */
async function isOutage(response: Response): Promise<boolean> {
  if (response.status !== 503) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return isOutageCode((body as { code?: unknown } | null)?.code);
}

/** The typed client of every endpoint in the contract. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) });

/** Returns the body of a successful response, or throws a `Problem`. */
export async function unwrap<T>(call: Promise<{ data?: T; response: Response; error?: unknown }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok || error !== undefined) throw problem(error, response);
  return data as T;
}

function problem(error: unknown, response: Response): Problem {
  const body = (typeof error === 'object' && error !== null ? error : {}) as Partial<Schemas['ErrorBody']>;
  return new Problem({
    status: response.status,
    code: body.code ?? 'unreadable',
    message: body.message ?? `The server answered ${response.status}.`,
    fields: body.errors ?? {},
    skipped: body.skipped ?? [],
    secondFactor: body.second_factor ?? null,
    requestId: response.headers.get('x-request-id') ?? '',
    ...retryAfterOf(response),
  });
}

/** Sends a GET to a URL that the contract does not type, such as a list with its column parameters. */
export async function get(address: string, init: { accept?: string; signal?: AbortSignal } = {}): Promise<Response> {
  const request = new Request(new URL(address, location.origin), {
    headers: { Accept: init.accept ?? 'application/json' },
    ...(init.signal ? { signal: init.signal } : {}),
  });
  // An export of many rows may take longer than the timeout.
  const response = await send(request, init.accept ? null : TIMEOUT_MS);
  if (!response.ok) throw await problemOf(response);
  return response;
}
