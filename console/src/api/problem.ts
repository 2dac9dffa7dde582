import type { components } from './schema';

/** What a sign-in with the right password can go on with. */
export type SecondFactorChoice = components['schemas']['SecondFactorChoice'];

interface Skipped {
  id: number;
  code: string;
  message: string;
}

/** Codes of a server whose database is away. */
const OUTAGE = ['database_unavailable', 'outcome_unknown'];

export function isOutageCode(code: unknown): boolean {
  return typeof code === 'string' && OUTAGE.includes(code);
}

/** What every failed call throws: the server's sentence, its stable code and the fields it blames. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** With the code `nothing_processed`: each record of a bulk call with its own reason. */
  readonly skipped: readonly Skipped[];
  /** Of a sign-in that waits for its second factor. */
  readonly secondFactor: SecondFactorChoice | null;
  readonly requestId: string;
  /** How long the server asks to wait before the same is sent again. */
  readonly retryAfterMs: number;

  constructor(init: {
    status: number;
    code: string;
    message: string;
    fields?: Record<string, string[]>;
    skipped?: readonly Skipped[];
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

  /** What went wrong, with what the fields say where they were blamed. */
  get detail(): string {
    return Object.values(this.fields).flat().join(' ') || this.message;
  }

  /** Whether trying the same again later can help. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** Whether the server's database is away. */
  get isOutage(): boolean {
    return isOutageCode(this.code);
  }
}

/** Reads an error answer; whatever stands between us and the server may answer something else than our JSON. */
export async function problemOf(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => null);
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return new Problem({
    status: response.status,
    code: typeof said.code === 'string' ? said.code : 'unreadable',
    message: typeof said.message === 'string' ? said.message : `The server answered ${response.status}.`,
    fields: (said.errors ?? {}) as Record<string, string[]>,
    skipped: Array.isArray(said.skipped) ? (said.skipped as Skipped[]) : [],
    requestId: response.headers.get('x-request-id') ?? '',
    ...retryAfterOf(response),
  });
}

/** The header `Retry-After` in seconds, where the answer has one. */
export function retryAfterOf(response: Response): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get('retry-after'));
  return seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {};
}

/** Anything thrown, as a problem. An abandoned call stays what it is: nobody wants to hear of it. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem({ status: 0, code: 'unreachable', message });
}

/** Whether a call was given up on purpose. */
export function isAbandoned(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Failures of one query after which it stops to wait for the database; five minutes at two seconds each. */
const OUTAGE_RETRIES = 150;

/** Whether a query is sent again: twice where that may help, and as long as the database is away. */
export function isRetried(failures: number, error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  return error.isOutage ? failures < OUTAGE_RETRIES : failures < 2 && error.isPassing;
}

/** Milliseconds before a query is sent again. */
export function retryDelay(failures: number, error: unknown): number {
  if (error instanceof Problem && error.isOutage) return error.retryAfterMs;
  return Math.min(1_000 * 2 ** failures, 30_000);
}
