// Calls of bulk actions for resources without a bulk endpoint: one request per record. A record that the server rejects with 404,
// 409 or 422 is skipped with the server's message. Any other error stops the run, and the user can continue it. If the server
// rejects all records for the same reason, the input is invalid, and the form shows the error at its fields.
import { api, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import type { paths } from '@/api/schema';
import { type WriteOptions, writeInitWithPath } from '@/api/writeOptions';
import { addAmounts } from '@/form/decimal';
import { type Action, type BulkOutcome, type ChunkOptions, type Input, type UndoOffer, undoOffers } from './action';
import { chargedAmount, customerId, refundedAmount } from './run';

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Operation<M extends Method, P extends keyof paths> = paths[P][Lowercase<M>];
type QueryOf<O> = O extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;
export type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never;

/** Paths whose endpoint supports a dry run. No other endpoint can be an action, because every action is previewed. */
export type DryRunPath<M extends Method> = {
  [P in keyof paths]: [QueryOf<Operation<M, P>>] extends [never]
    ? never
    : 'dry_run' extends keyof QueryOf<Operation<M, P>>
      ? P
      : never;
}[keyof paths];

interface RequestParts<Body, FormInput> {
  /** The path parameters; by default `id`. */
  pathParameters?: (id: number) => Record<string, number>;
  body?: (input: FormInput) => Body;
}

/** HTTP statuses after which only the record is skipped; other errors stop the run. */
const SKIPPED_STATUSES: readonly number[] = [404, 409, 422];

/** Whether the error concerns one record only. A 403 `forbidden` means a missing permission, which concerns all records. */
function concernsRecord({ status, code }: Problem): boolean {
  return SKIPPED_STATUSES.includes(status) || (status === 403 && code !== 'forbidden');
}

/** Records per call of `runBulk`: few, so that the progress is visible and the run stops soon after the dialog is closed. */
const CHUNK_SIZE = 20;

/** How often one call waits for the time of `Retry-After` when the rate limit is exceeded. */
const MAX_RATE_LIMIT_WAITS = 100;

type UntypedCall = (path: keyof paths, init: object) => Parameters<typeof unwrap<unknown>>[0];

/** Sends a request whose types are not checked here: the signatures of `perRecordCalls` and `bulkCalls` check path and body. */
export const sendUntyped = (method: Method, path: keyof paths, init: object): Promise<unknown> =>
  unwrap((api[method] as unknown as UntypedCall)(path, init));

/** The calls of an [`Action`] with an endpoint for one record. */
export function perRecordCalls<M extends Method, P extends DryRunPath<M>, FormInput extends object = Input>(
  method: M,
  path: P,
  parts: RequestParts<BodyOf<Operation<M, P>>, FormInput> = {},
): Pick<Action<unknown, FormInput>, 'runSingle' | 'runBulk' | 'chunkSize'> {
  const call = (id: number, input: FormInput, options: ChunkOptions) => {
    // One key per record. A retry of the chunk uses the same keys.
    const init = writeInitWithPath(parts.pathParameters?.(id) ?? { id }, { ...options, key: `${options.key}-${id}` });
    return withRateLimitRetry(
      () => sendUntyped(method, path, { ...init, ...(parts.body ? { body: parts.body(input) } : {}) }),
      options.signal,
    );
  };
  return {
    chunkSize: CHUNK_SIZE,
    runSingle: call,
    runBulk: async (ids, input, options) => {
      const undos: UndoOffer[] = [];
      const customerIds = new Set<number>();
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
          const response = await call(id, input, options);
          const refund = refundedAmount(response);
          outcome.totals.charged = addAmounts(outcome.totals.charged ?? '0', chargedAmount(response));
          if (ids.length === 1) outcome.record = (response as { data?: unknown } | undefined)?.data;
          undos.push(...undoOffers(response));
          outcome.processed += 1;
          outcome.totals.orders += 1;
          // A response without a customer counts as one customer: record ids are positive, so `-id` is unique.
          if (refund !== '0') customerIds.add(customerId(response) ?? -id);
          outcome.totals.returned = addAmounts(outcome.totals.returned, refund);
        } catch (error) {
          if (!(error instanceof Problem) || !concernsRecord(error)) throw error;
          if (error.status === 422) rejections.push(error);
          outcome.skipped.push({ id, code: error.code, message: error.detail });
        }
      }
      outcome.totals.users = customerIds.size;
      if (customerIds.size > 0) outcome.reach = { users: [...customerIds], services: [], customers: [] };
      const commonRejection = rejections.length === (options.total ?? ids.length) ? rejections[0] : undefined;
      if (commonRejection && rejections.every((rejection) => rejection.detail === commonRejection.detail))
        throw commonRejection;
      return outcome;
    },
  };
}

/** After a 429, waits for the time of `Retry-After` and sends the call again. */
async function withRateLimitRetry<T>(call: () => Promise<T>, signal: WriteOptions['signal']): Promise<T> {
  for (let waitCount = 0; ; waitCount += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 429 || waitCount === MAX_RATE_LIMIT_WAITS) throw error;
      await sleep(error.retryAfterMs, signal);
    }
  }
}

function sleep(ms: number, signal: WriteOptions['signal']): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
