// The only module that calls `fetch`. Its requests use the session cookie. If the session has expired, the module waits until the user
// has signed in again. If an action is sensitive, the module waits until the user has confirmed the action. It converts every failure
// to a `Problem`.
import createClient from 'openapi-fetch';
import { confirmation } from '@/session/confirmation';
import { session } from '@/session/store';
import { isDatabaseOutageCode, Problem, parseProblem, parseRetryAfter } from './problem';
import { reachability } from './reachability';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

const TIMEOUT_MS = 30_000;

/**
 * Sends a request. After a 401 in a session, the user must sign in again. After a 403 `confirmation_required`, the user must confirm
 * the action. Then the request is sent once more. `timeoutMs` is null for downloads, which have no timeout.
 */
export async function send(request: Request, timeoutMs: number | null = TIMEOUT_MS): Promise<Response> {
  const requestCopy = request.clone();
  const response = await sendInSession(request, timeoutMs);
  if (!(await requiresConfirmation(response)) || !(await confirmation.requestConfirmation())) return response;
  return sendInSession(requestCopy, timeoutMs);
}

async function sendInSession(request: Request, timeoutMs: number | null): Promise<Response> {
  const secondRequest = request.clone();
  const thirdRequest = request.clone();
  const version = session.getTokenVersion();
  const firstResponse = await fetchOnce(request, timeoutMs);
  if (firstResponse.status !== 401 || !session.canSignInAgain()) return firstResponse;
  // Another tab may have replaced the session cookie during the first request, so try again before asking the user to sign in.
  const secondResponse = await fetchOnce(secondRequest, timeoutMs);
  if (secondResponse.status !== 401 || !session.canSignInAgain()) return secondResponse;
  await session.waitForSignIn(version);
  return fetchOnce(thirdRequest, timeoutMs);
}

/** Whether the user must confirm the action. Reads a clone of the response, so that the caller can still read the body. */
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
    reachability.setDatabaseUnavailable(await isDatabaseOutage(response));
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    reachability.setReachable(false);
    throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' });
  }
}

/** Whether the server reports that its database is unavailable. Reads a clone of the response, so that the caller can read the body. */
async function isDatabaseOutage(response: Response): Promise<boolean> {
  if (response.status !== 503) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return isDatabaseOutageCode((body as { code?: unknown } | null)?.code);
}

/** The client for all endpoints of the API. Its types come from openapi.json. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) });

/** Returns the body of a successful response, or throws a `Problem`. */
export async function unwrap<T>(request: Promise<{ data?: T; response: Response; error?: unknown }>): Promise<T> {
  const { data, error, response } = await request;
  if (!response.ok || error !== undefined) throw toProblem(error, response);
  return data as T;
}

function toProblem(error: unknown, response: Response): Problem {
  const body = (typeof error === 'object' && error !== null ? error : {}) as Partial<Schemas['ErrorBody']>;
  return new Problem({
    status: response.status,
    code: body.code ?? 'unreadable',
    message: body.message ?? `The server responded with status ${response.status}.`,
    fields: body.errors ?? {},
    skipped: body.skipped ?? [],
    secondFactor: body.second_factor ?? null,
    requestId: response.headers.get('x-request-id') ?? '',
    ...parseRetryAfter(response),
  });
}

/** Sends a GET request to a URL that openapi.json does not describe completely, such as a list with its column parameters. */
export async function get(url: string, init: { accept?: string; signal?: AbortSignal } = {}): Promise<Response> {
  const request = new Request(new URL(url, location.origin), {
    headers: { Accept: init.accept ?? 'application/json' },
    ...(init.signal ? { signal: init.signal } : {}),
  });
  // An export of many rows may take longer than the timeout.
  const response = await send(request, init.accept ? null : TIMEOUT_MS);
  if (!response.ok) throw await parseProblem(response);
  return response;
}
