// Runs an action for many records, in chunks. A chunk gets its idempotency key before it is sent: a retry after a failure sends it
// with the same key, so the server executes it only once. This module must not depend on React.
import { Problem } from '@/api/problem';
import { MAX_IDS } from '@/api/table';
import { addAmounts, toMillionths } from '@/form/decimal';
import { type BulkOutcome, type UndoOffer, undoOffers } from './action';

interface Chunk {
  ids: readonly number[];
  key: string;
  outcome?: BulkOutcome;
}

export interface Run {
  chunks: Chunk[];
  total: number;
}

/** Records per call: few enough for visible progress, enough to be fast, and at most the limit of one call. */
const CHUNK_SIZE = Math.min(1_000, MAX_IDS);

export function planRun(ids: readonly number[], chunkSize = CHUNK_SIZE): Run {
  const chunks: Chunk[] = [];
  for (let start = 0; start < ids.length; start += chunkSize) {
    chunks.push({ ids: ids.slice(start, start + chunkSize), key: crypto.randomUUID() });
  }
  return { chunks, total: ids.length };
}

type ChunkCall = (ids: readonly number[], key: string) => Promise<BulkOutcome>;

/** Sends the chunks that have no outcome yet. Throws at the first failure; another call continues with the failed chunk. */
export async function continueRun(
  run: Run,
  call: ChunkCall,
  onProgress: (processedIds: number) => void,
): Promise<void> {
  for (const chunk of run.chunks) {
    if (chunk.outcome) continue;
    chunk.outcome = await call(chunk.ids, chunk.key).catch((error: unknown) => allSkippedOutcome(chunk.ids, error));
    onProgress(processedCount(run));
  }
}

const EMPTY_TOTALS = { orders: 0, returned: '0', users: 0, charged: '0', services: 0, customers: 0 };

/** The outcome of a chunk whose records were all skipped (`nothing_processed`); rethrows any other error. */
export function allSkippedOutcome(ids: readonly number[], error: unknown): BulkOutcome {
  if (!(error instanceof Problem) || error.code !== 'nothing_processed') throw error;
  // Usually the response has a reason for each record. Otherwise its message is the reason for all records.
  const commonReason = ids.map((id) => ({ id, code: error.code, message: error.message }));
  const skippedRecords = error.skipped.length > 0 ? [...error.skipped] : commonReason;
  return { processed: 0, skipped: skippedRecords, totals: EMPTY_TOTALS, dry_run: false };
}

/** The response to the dry run of one record, as an outcome. */
export function singleOutcome(response: unknown): BulkOutcome {
  const body = (response ?? {}) as { data?: unknown; charged?: string; undo?: UndoOffer | null };
  const returned = refundedAmount(response);
  return {
    processed: 1,
    skipped: [],
    totals: { ...EMPTY_TOTALS, orders: 1, users: returned === '0' ? 0 : 1, returned, charged: body.charged ?? '0' },
    record: body.data,
    undo: body.undo ?? null,
    dry_run: true,
  };
}

/** The amount refunded to the customer, from the response or from the record in it. */
export function refundedAmount(response: unknown): string {
  const body = (response ?? {}) as { returned?: string; data?: { returned?: string } };
  return body.returned ?? body.data?.returned ?? '0';
}

/** The id of the record's customer, if the response has one. */
export function customerId(response: unknown): number | undefined {
  const record = (response as { data?: { user?: { id?: number } | null; user_id?: number } } | undefined)?.data;
  return record?.user?.id ?? record?.user_id;
}

/** The amount that the action charged. */
export function chargedAmount(response: unknown): string {
  return (response as { charged?: string } | undefined)?.charged ?? '0';
}

export function processedCount(run: Run): number {
  return run.chunks.reduce((sum, chunk) => sum + (chunk.outcome ? chunk.ids.length : 0), 0);
}

/** Merges the outcomes of the chunks that were sent so far. A customer or service in several chunks counts once. */
export function mergeOutcomes(run: Run): BulkOutcome {
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
      returned: outcomes.reduce((sum, outcome) => addAmounts(sum, outcome.totals.returned), '0'),
      charged: outcomes.reduce((sum, outcome) => addAmounts(sum, outcome.totals.charged ?? '0'), '0'),
    },
    ...mergeCosts(outcomes),
    undos: outcomes.flatMap(undoOffers),
    dry_run: outcomes.some((outcome) => outcome.dry_run),
  };
}

/** Counts the distinct ids of all chunks, and adds the counts of the outcomes that have no ids. */
function countDistinct(outcomes: readonly BulkOutcome[], field: 'users' | 'services' | 'customers'): number {
  const distinctIds = new Set(outcomes.flatMap(({ reach }) => reach?.[field] ?? []));
  return outcomes.reduce((sum, { reach, totals }) => sum + (reach ? 0 : (totals[field] ?? 0)), distinctIds.size);
}

/** The sum of the provider costs, if every chunk has them. The total is null if the total of one chunk is null. */
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

/** The code of all field errors: only their messages differ. */
const FIELD_ERROR_CODE = 'invalid';

/** Groups the skipped records by reason, the most frequent reason first. */
export function skipReasons(outcome: BulkOutcome): { message: string; ids: number[] }[] {
  const groups = new Map<string, { message: string; ids: number[] }>();
  for (const skip of outcome.skipped) {
    const groupKey = skip.code === FIELD_ERROR_CODE ? `${skip.code} ${skip.message}` : skip.code;
    const group = groups.get(groupKey) ?? { message: skip.message, ids: [] };
    group.ids.push(skip.id);
    groups.set(groupKey, group);
  }
  return [...groups.values()].sort((a, b) => b.ids.length - a.ids.length);
}

/** Above these limits the user must type the number of records. The amount is in millionths of the panel's currency. */
const LARGE_RUN = { records: 100, millionths: 1_000_000_000n };

/** Whether the user must type the number of records to confirm the action. */
export function isLarge(records: number, preview: BulkOutcome | null): boolean {
  const { returned = '0', charged = '0' } = preview?.totals ?? {};
  return records > LARGE_RUN.records || (toMillionths(addAmounts(returned, charged)) ?? 0n) > LARGE_RUN.millionths;
}
