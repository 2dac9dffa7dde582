// A run of one action over many ids, in chunks. Each chunk gets its idempotency key before it is sent, so that a retry after a
// failure sends it under the same key and nothing is executed twice. Independent of React.
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

/** Small enough for visible progress, large enough to be fast; at most the limit of one call. */
const CHUNK_SIZE = Math.min(1_000, MAX_IDS);

export function planRun(ids: readonly number[], size = CHUNK_SIZE): Run {
  const chunks: Chunk[] = [];
  for (let at = 0; at < ids.length; at += size) {
    chunks.push({ ids: ids.slice(at, at + size), key: crypto.randomUUID() });
  }
  return { chunks, total: ids.length };
}

type Call = (ids: readonly number[], key: string) => Promise<BulkOutcome>;

/** Sends the chunks that have no outcome yet. Throws at the first failure; call it again to continue from there. */
export async function continueRun(run: Run, call: Call, onProgress: (done: number) => void): Promise<void> {
  for (const chunk of run.chunks) {
    if (chunk.outcome) continue;
    chunk.outcome = await call(chunk.ids, chunk.key).catch((error: unknown) => allSkipped(chunk.ids, error));
    onProgress(processedCount(run));
  }
}

const EMPTY_TOTALS = { orders: 0, returned: '0', users: 0, charged: '0', services: 0, customers: 0 };

/** The outcome of a chunk whose records were all skipped (`nothing_processed`); rethrows any other error. */
export function allSkipped(ids: readonly number[], error: unknown): BulkOutcome {
  if (!(error instanceof Problem) || error.code !== 'nothing_processed') throw error;
  // Usually each record has its own reason; an answer without them has one message for all.
  const sameReason = ids.map((id) => ({ id, code: error.code, message: error.message }));
  const skipped = error.skipped.length > 0 ? [...error.skipped] : sameReason;
  return { processed: 0, skipped, totals: EMPTY_TOTALS, dry_run: false };
}

/** The response to the dry run of one record, as an outcome. */
export function singleOutcome(answer: unknown): BulkOutcome {
  const body = (answer ?? {}) as { data?: unknown; charged?: string; undo?: UndoOffer | null };
  const returned = refundedAmount(answer);
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
export function refundedAmount(answer: unknown): string {
  const body = (answer ?? {}) as { returned?: string; data?: { returned?: string } };
  return body.returned ?? body.data?.returned ?? '0';
}

/** The id of the record's customer, if the response has one. */
export function customerId(answer: unknown): number | undefined {
  const record = (answer as { data?: { user?: { id?: number } | null; user_id?: number } } | undefined)?.data;
  return record?.user?.id ?? record?.user_id;
}

/** The amount that the action charged. */
export function chargedAmount(answer: unknown): string {
  return (answer as { charged?: string } | undefined)?.charged ?? '0';
}

export function processedCount(run: Run): number {
  return run.chunks.reduce((sum, chunk) => sum + (chunk.outcome ? chunk.ids.length : 0), 0);
}

/** The merged outcome of all chunks so far. A customer or service in several chunks counts once. */
export function mergeOutcomes(run: Run): BulkOutcome {
  const outcomes = run.chunks.flatMap((chunk) => chunk.outcome ?? []);
  return {
    processed: outcomes.reduce((sum, outcome) => sum + outcome.processed, 0),
    skipped: outcomes.flatMap((outcome) => outcome.skipped),
    isUpperBound: outcomes.length > 1,
    totals: {
      orders: outcomes.reduce((sum, { totals }) => sum + totals.orders, 0),
      users: distinct(outcomes, 'users'),
      services: distinct(outcomes, 'services'),
      customers: distinct(outcomes, 'customers'),
      returned: outcomes.reduce((sum, outcome) => addAmounts(sum, outcome.totals.returned), '0'),
      charged: outcomes.reduce((sum, outcome) => addAmounts(sum, outcome.totals.charged ?? '0'), '0'),
    },
    ...mergeCosts(outcomes),
    undos: outcomes.flatMap(undoOffers),
    dry_run: outcomes.some((outcome) => outcome.dry_run),
  };
}

/** Number of distinct ids over all chunks. The counts of outcomes without ids are added. */
function distinct(outcomes: readonly BulkOutcome[], of: 'users' | 'services' | 'customers'): number {
  const distinctIds = new Set(outcomes.flatMap(({ reach }) => reach?.[of] ?? []));
  return outcomes.reduce((sum, { reach, totals }) => sum + (reach ? 0 : (totals[of] ?? 0)), distinctIds.size);
}

/** The sum of provider costs, if every chunk has them. The total is unknown when that of one chunk is. */
function mergeCosts(outcomes: readonly BulkOutcome[]): Pick<BulkOutcome, 'costs'> {
  const processed = outcomes.filter((outcome) => outcome.processed > 0);
  const costs = processed.flatMap((outcome) => outcome.costs ?? []);
  if (costs.length === 0 || costs.length < processed.length) return {};
  if (costs.length === 1) return { costs: costs[0] ?? null };
  const totals = costs.flatMap(({ total }) => total ?? []);
  const total = {
    provider_cost: totals.reduce((sum, one) => addAmounts(sum, one.provider_cost), '0'),
    margin: totals.reduce((sum, one) => addAmounts(sum, one.margin), '0'),
  };
  return {
    costs: { orders: costs.flatMap(({ orders }) => orders), total: totals.length === costs.length ? total : null },
  };
}

/** The generic code of field errors: only the message distinguishes them. */
const INVALID = 'invalid';

/** Skipped records by reason, the most frequent reason first. */
export function skipReasons(outcome: BulkOutcome): { message: string; ids: number[] }[] {
  const groups = new Map<string, { message: string; ids: number[] }>();
  for (const skip of outcome.skipped) {
    const reason = skip.code === INVALID ? `${skip.code} ${skip.message}` : skip.code;
    const group = groups.get(reason) ?? { message: skip.message, ids: [] };
    group.ids.push(skip.id);
    groups.set(reason, group);
  }
  return [...groups.values()].sort((a, b) => b.ids.length - a.ids.length);
}

/** Above these limits the user types the number of records to confirm. The amount is in millionths of the panel's currency. */
const LARGE = { records: 100, millionths: 1_000_000_000n };

/** Whether a click is not enough to confirm the action. */
export function isLarge(records: number, preview: BulkOutcome | null): boolean {
  const { returned = '0', charged = '0' } = preview?.totals ?? {};
  return records > LARGE.records || (toMillionths(addAmounts(returned, charged)) ?? 0n) > LARGE.millionths;
}
