// One action over many ids, in chunks: each chunk has its key before it is sent, so that going on after a failure
// sends the same chunk under the same key and nothing is done twice. No drawing here.
import { Problem } from '@/api/problem';
import { MAX_IDS } from '@/api/table';
import { add, millionths } from '@/form/decimal';
import { type BulkOutcome, type UndoOffer, undosOf } from './action';

interface Chunk {
  ids: readonly number[];
  key: string;
  outcome?: BulkOutcome;
}

/** What is planned and what has come of it. */
export interface Run {
  chunks: Chunk[];
  total: number;
}

/** Small enough for a bar that moves, large enough to be quick; never more than one call takes. */
const CHUNK = Math.min(1_000, MAX_IDS);

export function plan(ids: readonly number[], size = CHUNK): Run {
  const chunks: Chunk[] = [];
  for (let at = 0; at < ids.length; at += size) {
    chunks.push({ ids: ids.slice(at, at + size), key: crypto.randomUUID() });
  }
  return { chunks, total: ids.length };
}

type Call = (ids: readonly number[], key: string) => Promise<BulkOutcome>;

/** Goes through the chunks that are still open. Throws at the first failure; call again to go on from there. */
export async function proceed(run: Run, call: Call, onProgress: (done: number) => void): Promise<void> {
  for (const chunk of run.chunks) {
    if (chunk.outcome) continue;
    chunk.outcome = await call(chunk.ids, chunk.key).catch((error: unknown) => allSkipped(chunk.ids, error));
    onProgress(done(run));
  }
}

const NOTHING = { orders: 0, returned: '0', users: 0, charged: '0', services: 0, customers: 0 };

/** A chunk of which nothing could be done is an outcome among others; anything else stops the run. */
export function allSkipped(ids: readonly number[], error: unknown): BulkOutcome {
  if (!(error instanceof Problem) || error.code !== 'nothing_processed') throw error;
  // Each record has its own reason; an answer without reasons has one sentence for all.
  const one = ids.map((id) => ({ id, code: error.code, message: error.message }));
  const skipped = error.skipped.length > 0 ? [...error.skipped] : one;
  return { processed: 0, skipped, totals: NOTHING, dry_run: false };
}

/** What the call of one record answered to a dry run, as an outcome. */
export function outcomeOfOne(answer: unknown): BulkOutcome {
  const said = (answer ?? {}) as { data?: unknown; charged?: string; undo?: UndoOffer | null };
  const returned = returnedOf(answer);
  return {
    processed: 1,
    skipped: [],
    totals: { ...NOTHING, orders: 1, users: returned === '0' ? 0 : 1, returned, charged: said.charged ?? '0' },
    record: said.data,
    undo: said.undo ?? null,
    dry_run: true,
  };
}

/** What an answer, or the changed record in it, says went back to its customer. */
export function returnedOf(answer: unknown): string {
  const said = (answer ?? {}) as { returned?: string; data?: { returned?: string } };
  return said.returned ?? said.data?.returned ?? '0';
}

/** The customer of the changed record, where the answer names one. */
export function userOf(answer: unknown): number | undefined {
  const said = (answer as { data?: { user?: { id?: number } | null; user_id?: number } } | undefined)?.data;
  return said?.user?.id ?? said?.user_id;
}

/** What the answer says that the action charged. */
export function chargedOf(answer: unknown): string {
  return (answer as { charged?: string } | undefined)?.charged ?? '0';
}

export function done(run: Run): number {
  return run.chunks.reduce((sum, chunk) => sum + (chunk.outcome ? chunk.ids.length : 0), 0);
}

/** The outcome of all chunks so far; a customer or service of several chunks counts once. */
export function merged(run: Run): BulkOutcome {
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
      returned: outcomes.reduce((sum, outcome) => add(sum, outcome.totals.returned), '0'),
      charged: outcomes.reduce((sum, outcome) => add(sum, outcome.totals.charged ?? '0'), '0'),
    },
    ...costsOf(outcomes),
    undos: outcomes.flatMap(undosOf),
    dry_run: outcomes.some((outcome) => outcome.dry_run),
  };
}

/** Different ids over all chunks. An outcome without ids counts records that are in no other chunk. */
function distinct(outcomes: readonly BulkOutcome[], of: 'users' | 'services' | 'customers'): number {
  const seen = new Set(outcomes.flatMap(({ reach }) => reach?.[of] ?? []));
  return outcomes.reduce((sum, { reach, totals }) => sum + (reach ? 0 : (totals[of] ?? 0)), seen.size);
}

/** What providers charge in all, where each chunk says so; its total is unknown where that of one is. */
function costsOf(outcomes: readonly BulkOutcome[]): Pick<BulkOutcome, 'costs'> {
  const moved = outcomes.filter((outcome) => outcome.processed > 0);
  const costs = moved.flatMap((outcome) => outcome.costs ?? []);
  if (costs.length === 0 || costs.length < moved.length) return {};
  if (costs.length === 1) return { costs: costs[0] ?? null };
  const totals = costs.flatMap(({ total }) => total ?? []);
  const total = {
    provider_cost: totals.reduce((sum, one) => add(sum, one.provider_cost), '0'),
    margin: totals.reduce((sum, one) => add(sum, one.margin), '0'),
  };
  return {
    costs: { orders: costs.flatMap(({ orders }) => orders), total: totals.length === costs.length ? total : null },
  };
}

/** The code of whatever is wrong with fields that have no code of their own: the sentence tells one from another. */
const INVALID = 'invalid';

/** How many were skipped for which reason, most first. */
export function reasons(outcome: BulkOutcome): { message: string; ids: number[] }[] {
  const groups = new Map<string, { message: string; ids: number[] }>();
  for (const skip of outcome.skipped) {
    const reason = skip.code === INVALID ? `${skip.code} ${skip.message}` : skip.code;
    const group = groups.get(reason) ?? { message: skip.message, ids: [] };
    group.ids.push(skip.id);
    groups.set(reason, group);
  }
  return [...groups.values()].sort((a, b) => b.ids.length - a.ids.length);
}

/** Above so many records, or so much money, a person types the number before it is done. */
const LARGE = { records: 100, millionths: 1_000_000_000n };

/** Whether an action is so large that one click must not be enough. */
export function isLarge(records: number, preview: BulkOutcome | null): boolean {
  const { returned = '0', charged = '0' } = preview?.totals ?? {};
  return records > LARGE.records || (millionths(add(returned, charged)) ?? 0n) > LARGE.millionths;
}
