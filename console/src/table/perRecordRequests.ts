// The requests of actions for resources without a bulk endpoint: one request per record. If the server rejects a record with 404,
// 409 or 422, the run skips the record and shows the server's message. Any other error stops the run, and the user can continue the
// run. If the server rejects all records for the same reason, the input is invalid, and the form shows the error at its fields.
import { api, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import type { paths } from '@/api/schema';
import { createWriteOptionsWithPath, type WriteOptions } from '@/api/writeOptions';
import { addAmounts } from '@/form/decimal';
import {
  type Action,
  type ActionInput,
  type BulkOutcome,
  type ChunkOptions,
  getUndoOffers,
  type UndoOffer,
} from './action';
import { getChargedAmount, getCustomerId, getRefundedAmount } from './bulkRun';

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Operation<M extends Method, P extends keyof paths> = paths[P][Lowercase<M>];
type QueryOf<O> = O extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;
export type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never;

/** Paths whose endpoint supports a dry run. Actions can use no other endpoint, because the dialog previews every action. */
export type DryRunPath<M extends Method> = {
  [P in keyof paths]: [QueryOf<Operation<M, P>>] extends [never]
    ? never
    : 'dry_run' extends keyof QueryOf<Operation<M, P>>
      ? P
      : never;
}[keyof paths];

interface PerRecordRequestOptions<Body, FormInput> {
  /** The path parameters; by default `id`. */
  pathParameters?: (id: number) => Record<string, number>;
  body?: (input: FormInput) => Body;
}

/** HTTP statuses after which the run skips the record and continues. */
const SKIPPED_STATUSES: readonly number[] = [404, 409, 422];

/** Whether the error affects only one record. A 403 `forbidden` affects all records, because the user lacks a permission. */
function isRecordError({ status, code }: Problem): boolean {
  return SKIPPED_STATUSES.includes(status) || (status === 403 && code !== 'forbidden');
}

/**
 * Maximum number of records per call of `runBulk`. It is small, so that the progress bar moves often and a preview stops soon after
 * the user closes the dialog.
 */
const CHUNK_SIZE = 20;

/** How often one request waits for the time in `Retry-After` if it exceeds the rate limit. */
const MAX_RATE_LIMIT_WAITS = 100;

type UntypedRequestFunction = (path: keyof paths, init: object) => Parameters<typeof unwrap<unknown>>[0];

/**
 * Sends a request without checking its types. The signatures of `createPerRecordRequests` and `createBulkRequests` check path and body.
 */
export const sendUntyped = (method: Method, path: keyof paths, init: object): Promise<unknown> =>
  unwrap((api[method] as unknown as UntypedRequestFunction)(path, init));

/** Creates the functions of an [`Action`] that send its requests, for an endpoint that changes one record. */
export function createPerRecordRequests<
  M extends Method,
  P extends DryRunPath<M>,
  FormInput extends object = ActionInput,
>(
  method: M,
  path: P,
  requestOptions: PerRecordRequestOptions<BodyOf<Operation<M, P>>, FormInput> = {},
): Pick<Action<unknown, FormInput>, 'runSingle' | 'runBulk' | 'chunkSize'> {
  const sendForRecord = (id: number, input: FormInput, options: ChunkOptions) => {
    // Each record has its own idempotency key. A retry of the chunk uses the same keys.
    const init = createWriteOptionsWithPath(requestOptions.pathParameters?.(id) ?? { id }, {
      ...options,
      key: `${options.key}-${id}`,
    });
    return withRateLimitRetry(
      () =>
        sendUntyped(method, path, { ...init, ...(requestOptions.body ? { body: requestOptions.body(input) } : {}) }),
      options.signal,
    );
  };
  return {
    chunkSize: CHUNK_SIZE,
    runSingle: sendForRecord,
    runBulk: async (ids, input, options) => {
      const undos: UndoOffer[] = [];
      const customerIds = new Set<number>();
      const outcome: BulkOutcome = {
        processed: 0,
        skipped: [],
        totals: { orders: 0, refunded: '0', users: 0, charged: '0' },
        dry_run: options.dryRun,
        undos,
      };
      const rejections: Problem[] = [];
      for (const id of ids) {
        try {
          const response = await sendForRecord(id, input, options);
          const refund = getRefundedAmount(response);
          outcome.totals.charged = addAmounts(outcome.totals.charged ?? '0', getChargedAmount(response));
          if (ids.length === 1) outcome.record = (response as { data?: unknown } | undefined)?.data;
          undos.push(...getUndoOffers(response));
          outcome.processed += 1;
          outcome.totals.orders += 1;
          // A response without a customer counts as one customer. Record ids are positive, so `-id` is a unique key.
          if (refund !== '0') customerIds.add(getCustomerId(response) ?? -id);
          outcome.totals.refunded = addAmounts(outcome.totals.refunded, refund);
        } catch (error) {
          if (!(error instanceof Problem) || !isRecordError(error)) throw error;
          if (error.status === 422) rejections.push(error);
          outcome.skipped.push({ id, code: error.code, message: error.detail });
        }
      }
      outcome.totals.users = customerIds.size;
      if (customerIds.size > 0) outcome.affected_ids = { users: [...customerIds], services: [], customers: [] };
      const commonRejection = rejections.length === (options.total ?? ids.length) ? rejections[0] : undefined;
      if (commonRejection && rejections.every((rejection) => rejection.detail === commonRejection.detail))
        throw commonRejection;
      return outcome;
    },
  };
}

/** After a 429, waits for the time in `Retry-After` and sends the request again. */
async function withRateLimitRetry<T>(send: () => Promise<T>, signal: WriteOptions['signal']): Promise<T> {
  for (let waitCount = 0; ; waitCount += 1) {
    try {
      return await send();
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
