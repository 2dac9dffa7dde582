import type { components } from './schema';

/** The second factors that can complete a sign-in whose password was correct. */
export type SecondFactorChoice = components['schemas']['SecondFactorChoice'];

interface SkippedRecord {
  id: number;
  code: string;
  message: string;
}

/** The error codes with which the server reports that its database is unavailable. */
const OUTAGE_CODES = ['database_unavailable', 'outcome_unknown'];

export function isOutageCode(code: unknown): boolean {
  return typeof code === 'string' && OUTAGE_CODES.includes(code);
}

/** The error that every failed call throws: the server's message, its stable code and its field errors. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** If the code is `nothing_processed`: each record of the bulk call, and why the server has skipped it. */
  readonly skipped: readonly SkippedRecord[];
  /** Only in the response to a sign-in that requires a second factor. */
  readonly secondFactor: SecondFactorChoice | null;
  readonly requestId: string;
  /** From the header `Retry-After`; 1 second if the response has none. */
  readonly retryAfterMs: number;

  constructor(init: {
    status: number;
    code: string;
    message: string;
    fields?: Record<string, string[]>;
    skipped?: readonly SkippedRecord[];
    secondFactor?: SecondFactorChoice | null;
    requestId?: string;
    retryAfterMs?: number;
  }) {
    super(init.message);
    this.name = 'Problem';
    this.status = init.status;
    this.code = init.code;
    this.fields = init.fields ?? {};
    this.skipped = init.skipped ?? [];
    this.secondFactor = init.secondFactor ?? null;
    this.requestId = init.requestId ?? '';
    this.retryAfterMs = init.retryAfterMs ?? 1_000;
  }

  /** The field errors as one text; without field errors the message. */
  get detail(): string {
    return Object.values(this.fields).flat().join(' ') || this.message;
  }

  /** Whether the same call may succeed later: after a lost connection, a 429 or a server error. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** Whether the server's database is unavailable. */
  get isOutage(): boolean {
    return isOutageCode(this.code);
  }
}

/** Parses an error response. It may lack the JSON of the API, because a proxy in front of the server may have sent it. */
export async function parseProblem(response: Response): Promise<Problem> {
  const json: unknown = await response.json().catch(() => null);
  const body = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;
  return new Problem({
    status: response.status,
    code: typeof body.code === 'string' ? body.code : 'unreadable',
    message: typeof body.message === 'string' ? body.message : `The server responded with status ${response.status}.`,
    fields: (body.errors ?? {}) as Record<string, string[]>,
    skipped: Array.isArray(body.skipped) ? (body.skipped as SkippedRecord[]) : [],
    requestId: response.headers.get('x-request-id') ?? '',
    ...parseRetryAfter(response),
  });
}

/** Parses the header `Retry-After`, which is in seconds. Returns an empty object if the response has none. */
export function parseRetryAfter(response: Response): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get('retry-after'));
  return seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {};
}

/** Converts a caught error to a `Problem`. Call `isAborted` first: an aborted call must not be shown as a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem({ status: 0, code: 'unreachable', message });
}

/** Whether the console itself aborted the call. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** The most retries of one query during a database outage: five minutes with a retry every two seconds. */
const OUTAGE_RETRIES = 150;

/** Whether a query is retried: twice after a transient failure, and up to `OUTAGE_RETRIES` times during a database outage. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  return error.isOutage ? failures < OUTAGE_RETRIES : failures < 2 && error.isTransient;
}

/** The delay before a query is retried, in milliseconds. */
export function retryDelay(failures: number, error: unknown): number {
  if (error instanceof Problem && error.isOutage) return error.retryAfterMs;
  return Math.min(1_000 * 2 ** failures, 30_000);
}
