// Bulk actions for resources without a bulk endpoint: one call per record. A record that the server rejects with 404, 409 or 422 is
// skipped with the server's message; any other error stops the run, which can be continued. When all records are rejected for the
// same reason, the input is wrong, and the form shows the error at its fields.
import { api, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import type { paths } from '@/api/schema';
import { type WriteOptions, writeInitAt } from '@/api/writeOptions';
import { addAmounts } from '@/form/decimal';
import { type Action, type BulkOutcome, type ChunkOptions, type Input, type UndoOffer, undoOffers } from './action';
import { chargedAmount, customerId, refundedAmount } from './run';

type Verb = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Operation<V extends Verb, P extends keyof paths> = paths[P][Lowercase<V>];
type QueryOf<O> = O extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;
export type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never;

/** Paths whose endpoint supports a dry run. Others cannot be actions, because every action is previewed. */
export type DryRunPath<V extends Verb> = {
  [P in keyof paths]: [QueryOf<Operation<V, P>>] extends [never]
    ? never
    : 'dry_run' extends keyof QueryOf<Operation<V, P>>
      ? P
      : never;
}[keyof paths];

interface RequestParts<Body, Edited> {
  /** Path parameters, when there are others than the record's id. */
  path?: (id: number) => Record<string, number>;
  body?: (input: Edited) => Body;
}

/** Statuses that concern one record, not the whole run. */
const SKIPPED_STATUSES: readonly number[] = [404, 409, 422];

/** Whether the error concerns this record only. A 403 `forbidden` is a missing permission and concerns all records. */
function concernsRecord({ status, code }: Problem): boolean {
  return SKIPPED_STATUSES.includes(status) || (status === 403 && code !== 'forbidden');
}

/** Records per call of `many`: small, so that progress is visible and a closed dialog aborts soon. */
const CHUNK_SIZE = 20;

/** Waits per call when the rate limit is exceeded; each lasts as long as `Retry-After`. */
const MAX_WAITS = 100;

type Call = (path: keyof paths, init: object) => Parameters<typeof unwrap<unknown>>[0];

/** A call without static types. `perRecordCalls` and `bulkCalls` check the types of path and body. */
export const sendUntyped = (verb: Verb, path: keyof paths, init: object): Promise<unknown> =>
  unwrap((api[verb] as unknown as Call)(path, init));

/** The calls of an [`Action`], from the endpoint for one record. */
export function perRecordCalls<V extends Verb, P extends DryRunPath<V>, Edited extends object = Input>(
  verb: V,
  path: P,
  parts: RequestParts<BodyOf<Operation<V, P>>, Edited> = {},
): Pick<Action<unknown, Edited>, 'one' | 'many' | 'chunkSize'> {
  const call = (id: number, input: Edited, options: ChunkOptions) => {
    // One key per record of the chunk, the same again when the chunk is retried.
    const init = writeInitAt(parts.path?.(id) ?? { id }, { ...options, key: `${options.key}-${id}` });
    return withRateLimitRetry(
      () => sendUntyped(verb, path, { ...init, ...(parts.body ? { body: parts.body(input) } : {}) }),
      options.signal,
    );
  };
  return {
    chunkSize: CHUNK_SIZE,
    one: call,
    many: async (ids, input, options) => {
      const undos: UndoOffer[] = [];
      const users = new Set<number>();
      const outcome: BulkOutcome = {
        processed: 0,
        skipped: [],
        totals: { orders: 0, returned: '0', users: 0, charged: '0' },
        dry_run: options.dryRun,
        undos,
      };
      const rejections: Problem[] = [];
      for (const id of ids) {
        try {
          const answer = await call(id, input, options);
          const returned = refundedAmount(answer);
          outcome.totals.charged = addAmounts(outcome.totals.charged ?? '0', chargedAmount(answer));
          if (ids.length === 1) outcome.record = (answer as { data?: unknown } | undefined)?.data;
          undos.push(...undoOffers(answer));
          outcome.processed += 1;
          outcome.totals.orders += 1;
          // An answer without a customer counts as one customer: record ids are positive, so that `-id` is unique.
          if (returned !== '0') users.add(customerId(answer) ?? -id);
          outcome.totals.returned = addAmounts(outcome.totals.returned, returned);
        } catch (error) {
          if (!(error instanceof Problem) || !concernsRecord(error)) throw error;
          if (error.status === 422) rejections.push(error);
          outcome.skipped.push({ id, code: error.code, message: error.detail });
        }
      }
      outcome.totals.users = users.size;
      if (users.size > 0) outcome.reach = { users: [...users], services: [], customers: [] };
      const commonRejection = rejections.length === (options.total ?? ids.length) ? rejections[0] : undefined;
      if (commonRejection && rejections.every((other) => other.detail === commonRejection.detail))
        throw commonRejection;
      return outcome;
    },
  };
}

/** Retries a call after a 429, when the time of `Retry-After` has passed. */
async function withRateLimitRetry<T>(call: () => Promise<T>, signal: WriteOptions['signal']): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 429 || waits === MAX_WAITS) throw error;
      await pause(error.retryAfterMs, signal);
    }
  }
}

function pause(ms: number, signal: WriteOptions['signal']): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
