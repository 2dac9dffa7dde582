// Runs an action for many records, in chunks. Each chunk gets its idempotency key before the first request. A retry sends the chunk
// with the same key, so the server executes the chunk only once. This module must not depend on React.
import { Problem } from '@/api/problem';
import { MAX_IDS } from '@/api/table';
import { addAmounts, toMillionths } from '@/form/decimal';
import { type BulkOutcome, getUndoOffers, type UndoOffer } from './action';

interface Chunk {
  ids: readonly number[];
  key: string;
  outcome?: BulkOutcome;
}

export interface BulkRun {
  chunks: Chunk[];
  total: number;
}

/** Records per request: small enough for a moving progress bar, large enough to be fast, and not above the limit of a request. */
const CHUNK_SIZE = Math.min(1_000, MAX_IDS);

export function planBulkRun(ids: readonly number[], chunkSize = CHUNK_SIZE): BulkRun {
  const chunks: Chunk[] = [];
  for (let start = 0; start < ids.length; start += chunkSize) {
    chunks.push({ ids: ids.slice(start, start + chunkSize), key: crypto.randomUUID() });
  }
  return { chunks, total: ids.length };
}

type SendChunk = (ids: readonly number[], key: string) => Promise<BulkOutcome>;

/** Sends the chunks that have no outcome yet. Throws the first failure. Call it again to continue with the failed chunk. */
export async function continueBulkRun(
  run: BulkRun,
  sendChunk: SendChunk,
  onProgress: (processedCount: number) => void,
): Promise<void> {
  for (const chunk of run.chunks) {
    if (chunk.outcome) continue;
    chunk.outcome = await sendChunk(chunk.ids, chunk.key).catch((error: unknown) =>
      createAllSkippedOutcome(chunk.ids, error),
    );
    onProgress(countProcessedRecords(run));
  }
}

const EMPTY_TOTALS = { orders: 0, refunded: '0', users: 0, charged: '0', services: 0, customers: 0 };

/** Creates the outcome of a chunk in which the server skipped all records (`nothing_processed`). Rethrows any other error. */
export function createAllSkippedOutcome(ids: readonly number[], error: unknown): BulkOutcome {
  if (!(error instanceof Problem) || error.code !== 'nothing_processed') throw error;
  // The response usually has a reason for each record. If it has none, its message is the reason for all records.
  const recordsWithCommonReason = ids.map((id) => ({ id, code: error.code, message: error.message }));
  const skippedRecords = error.skipped.length > 0 ? [...error.skipped] : recordsWithCommonReason;
  return { processed: 0, skipped: skippedRecords, totals: EMPTY_TOTALS, dry_run: false };
}

/** Converts the response to the dry run of one record to an outcome. */
export function toSingleRecordOutcome(response: unknown): BulkOutcome {
  const body = (response ?? {}) as { data?: unknown; charged?: string; undo?: UndoOffer | null };
  const refundedAmount = getRefundedAmount(response);
  return {
    processed: 1,
    skipped: [],
    totals: {
      ...EMPTY_TOTALS,
      orders: 1,
      users: refundedAmount === '0' ? 0 : 1,
      refunded: refundedAmount,
      charged: body.charged ?? '0',
    },
    record: body.data,
    undo: body.undo ?? null,
    dry_run: true,
  };
}

/** Returns the amount that was refunded to the customer, from the response or from the record in the response. */
export function getRefundedAmount(response: unknown): string {
  const body = (response ?? {}) as { refunded?: string; data?: { refunded?: string } };
  return body.refunded ?? body.data?.refunded ?? '0';
}

/** Returns the id of the record's customer, if the response contains a customer. */
export function getCustomerId(response: unknown): number | undefined {
  const record = (response as { data?: { user?: { id?: number } | null; user_id?: number } } | undefined)?.data;
  return record?.user?.id ?? record?.user_id;
}

/** Returns the amount that the action charged the customer. */
export function getChargedAmount(response: unknown): string {
  return (response as { charged?: string } | undefined)?.charged ?? '0';
}

export function countProcessedRecords(run: BulkRun): number {
  return run.chunks.reduce((sum, chunk) => sum + (chunk.outcome ? chunk.ids.length : 0), 0);
}

/** Merges the outcomes of the processed chunks. A customer or service that occurs in several chunks counts once. */
export function mergeOutcomes(run: BulkRun): BulkOutcome {
  const outcomes = run.chunks.flatMap((chunk) => chunk.outcome ?? []);
  return {
    processed: outcomes.reduce((sum, outcome) => sum + outcome.processed, 0),
    skipped: outcomes.flatMap((outcome) => outcome.skipped),
    isUpperBound: outcomes.length > 1,
    totals: {
      orders: outcomes.reduce((sum, { totals }) => sum + totals.orders, 0),
      users: countDistinct(outcomes, 'users'),
      services: countDistinct(outcomes, 'services'),
      customers: countDistinct(outcomes, 'customers'),
      refunded: outcomes.reduce((sum, outcome) => addAmounts(sum, outcome.totals.refunded), '0'),
      charged: outcomes.reduce((sum, outcome) => addAmounts(sum, outcome.totals.charged ?? '0'), '0'),
    },
    ...mergeCosts(outcomes),
    undos: outcomes.flatMap(getUndoOffers),
    dry_run: outcomes.some((outcome) => outcome.dry_run),
  };
}

/** Counts the distinct ids of all chunks, and adds the counts of the outcomes that have no ids. */
function countDistinct(outcomes: readonly BulkOutcome[], field: 'users' | 'services' | 'customers'): number {
  const distinctIds = new Set(outcomes.flatMap(({ affected_ids: ids }) => ids?.[field] ?? []));
  return outcomes.reduce(
    (sum, { affected_ids: ids, totals }) => sum + (ids ? 0 : (totals[field] ?? 0)),
    distinctIds.size,
  );
}

/** Adds up the provider costs, if every chunk has them. The total is null if the total of one chunk is null. */
function mergeCosts(outcomes: readonly BulkOutcome[]): Pick<BulkOutcome, 'costs'> {
  const processedChunks = outcomes.filter((outcome) => outcome.processed > 0);
  const costs = processedChunks.flatMap((outcome) => outcome.costs ?? []);
  if (costs.length === 0 || costs.length < processedChunks.length) return {};
  if (costs.length === 1) return { costs: costs[0] ?? null };
  const totals = costs.flatMap(({ total }) => total ?? []);
  const total = {
    provider_cost: totals.reduce((sum, { provider_cost: cost }) => addAmounts(sum, cost), '0'),
    margin: totals.reduce((sum, { margin }) => addAmounts(sum, margin), '0'),
  };
  return {
    costs: { orders: costs.flatMap(({ orders }) => orders), total: totals.length === costs.length ? total : null },
  };
}

/** The code of all field errors. Different field errors differ only in their messages. */
const FIELD_ERROR_CODE = 'invalid';

/** Groups the skipped records by reason. The most frequent reason comes first. */
export function groupSkippedByReason(outcome: BulkOutcome): { message: string; ids: number[] }[] {
  const groups = new Map<string, { message: string; ids: number[] }>();
  for (const { id, code, message } of outcome.skipped) {
    const groupKey = code === FIELD_ERROR_CODE ? `${code} ${message}` : code;
    const group = groups.get(groupKey) ?? { message, ids: [] };
    group.ids.push(id);
    groups.set(groupKey, group);
  }
  return [...groups.values()].sort((a, b) => b.ids.length - a.ids.length);
}

/** Above one of these limits the user must type the number of records. `millionths` is an amount in the panel's currency. */
const LARGE_RUN_LIMITS = { records: 100, millionths: 1_000_000_000n };

/** Whether the user must type the number of records to confirm the action. */
export function isLargeRun(recordCount: number, preview: BulkOutcome | null): boolean {
  const { refunded = '0', charged = '0' } = preview?.totals ?? {};
  return (
    recordCount > LARGE_RUN_LIMITS.records ||
    (toMillionths(addAmounts(refunded, charged)) ?? 0n) > LARGE_RUN_LIMITS.millionths
  );
}
