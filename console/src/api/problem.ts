import type { components } from './schema';

/** The second factors with which the user can complete a sign-in after entering the correct password. */
export type SecondFactorChoice = components['schemas']['SecondFactorChoice'];

interface SkippedRecord {
  id: number;
  code: string;
  message: string;
}

/** The error codes that mean that the database of the server is unavailable. */
const DATABASE_OUTAGE_CODES = ['database_unavailable', 'outcome_unknown'];

export function isDatabaseOutageCode(code: unknown): boolean {
  return typeof code === 'string' && DATABASE_OUTAGE_CODES.includes(code);
}

/** The error of a failed request: the server's message, its stable code and its field errors. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** Each record of the bulk request, with the reason why the server skipped it. Only set if the code is `nothing_processed`. */
  readonly skipped: readonly SkippedRecord[];
  /** Only set in the response to a sign-in that requires a second factor. */
  readonly secondFactor: SecondFactorChoice | null;
  readonly requestId: string;
  /** The time in the header `Retry-After`. 1 second if the response has no such header. */
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

  /** The field errors as one string, or the message if there are no field errors. */
  get detail(): string {
    return Object.values(this.fields).flat().join(' ') || this.message;
  }

  /** Whether a retry may succeed later: true after a lost connection, a 429 or a server error. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  get isDatabaseOutage(): boolean {
    return isDatabaseOutageCode(this.code);
  }
}

/** Parses an error response. Its body may not be the JSON of the API, because a proxy in front of the server may have sent it. */
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

/** Parses the header `Retry-After`, which is in seconds. Returns an empty object if the response has no such header. */
export function parseRetryAfter(response: Response): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get('retry-after'));
  return seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {};
}

/** Converts a caught error to a `Problem`. Call `isAborted` first, because the console must not show an aborted request as a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem({ status: 0, code: 'unreachable', message });
}

/** Whether the console itself aborted the request. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Maximum number of retries of a query during a database outage: five minutes with one retry every two seconds. */
const MAX_OUTAGE_RETRIES = 150;

/** Allows two retries after a transient failure, and up to `MAX_OUTAGE_RETRIES` retries during a database outage. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  return error.isDatabaseOutage ? failures < MAX_OUTAGE_RETRIES : failures < 2 && error.isTransient;
}

/** Returns the delay before the retry of a query. */
export function getRetryDelayMs(failures: number, error: unknown): number {
  if (error instanceof Problem && error.isDatabaseOutage) return error.retryAfterMs;
  return Math.min(1_000 * 2 ** failures, 30_000);
}
