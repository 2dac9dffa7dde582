// The one way to the server: asks for the session in a cookie, which the browser adds by itself; waits for a new sign-in
// where a session has ended and for the password where a sensitive action asks for it, and turns every failure into a Problem.
// Nothing else calls fetch.
import createClient from 'openapi-fetch';
import { confirmation } from '@/session/confirmation';
import { session } from '@/session/store';
import { isOutageCode, Problem, problemOf, retryAfterOf } from './problem';
import { reachability } from './reach';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

/** A server that has not answered by then does not answer. */
const LIMIT_MS = 30_000;

/**
 * Sends a request. A 401 within a session asks to sign in again, and a call that needs a confirmation asks for the
 * password; then it is sent once more.
 */
export async function send(request: Request, limitMs: number | null = LIMIT_MS): Promise<Response> {
  const confirmed = request.clone();
  const answer = await sendSignedIn(request, limitMs);
  if (!(await asksToConfirm(answer)) || !(await confirmation.ask())) return answer;
  return sendSignedIn(confirmed, limitMs);
}

async function sendSignedIn(request: Request, limitMs: number | null): Promise<Response> {
  const again = request.clone();
  const epoch = session.epoch();
  const first = await reach(request, limitMs);
  if (first.status !== 401 || !session.canRevive()) return first;
  // Another tab may have replaced the cookie while the call was under way.
  const last = again.clone();
  const second = await reach(again, limitMs);
  if (second.status !== 401 || !session.canRevive()) return second;
  await session.revived(epoch);
  return reach(last, limitMs);
}

/** Whether the answer is the refusal that a password undoes; its body stays readable. */
async function asksToConfirm(answer: Response): Promise<boolean> {
  if (answer.status !== 403) return false;
  const said: { code?: string } | null = await answer
    .clone()
    .json()
    .catch(() => null);
  return said?.code === 'confirmation_required';
}

async function reach(request: Request, limitMs: number | null): Promise<Response> {
  request.headers.set('X-Panel-Session', 'cookie');
  try {
    const signal = limitMs === null ? null : AbortSignal.any([request.signal, AbortSignal.timeout(limitMs)]);
    const response = await fetch(request, signal ? { signal } : {});
    reachability.set(true);
    reachability.setDatabaseAway(await isOutage(response));
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    reachability.set(false);
    throw new Problem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' });
  }
}

/** Whether the server says that its database is away. Only such an answer is read ahead of its caller. */
async function isOutage(response: Response): Promise<boolean> {
  if (response.status !== 503) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return isOutageCode((body as { code?: unknown } | null)?.code);
}

/** Every endpoint of the contract, typed. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) });

/** The answer of a call, or its problem thrown. */
export async function unwrap<T>(call: Promise<{ data?: T; response: Response; error?: unknown }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok || error !== undefined) throw problem(error, response);
  return data as T;
}

function problem(error: unknown, response: Response): Problem {
  const said = (typeof error === 'object' && error !== null ? error : {}) as Partial<Schemas['Problem']>;
  return new Problem({
    status: response.status,
    code: said.code ?? 'unreadable',
    message: said.message ?? `The server answered ${response.status}.`,
    fields: said.errors ?? {},
    skipped: said.skipped ?? [],
    secondFactor: said.second_factor ?? null,
    requestId: response.headers.get('x-request-id') ?? '',
    ...retryAfterOf(response),
  });
}

/** A GET of an address that the contract cannot type, such as a list with its columns. */
export async function get(address: string, init: { accept?: string; signal?: AbortSignal } = {}): Promise<Response> {
  const request = new Request(new URL(address, location.origin), {
    headers: { Accept: init.accept ?? 'application/json' },
    ...(init.signal ? { signal: init.signal } : {}),
  });
  // A file of many rows takes its time.
  const response = await send(request, init.accept ? null : LIMIT_MS);
  if (!response.ok) throw await problemOf(response);
  return response;
}
