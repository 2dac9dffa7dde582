// Importing many providers at once. The server refuses all where one is wrong; here those that are wrong are
// named, left out and skipped, and the rest goes on.
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { writeInit } from '@/api/writeOptions';
import type { BulkOutcome, ChunkOptions } from '@/table/action';

export type PanelServiceRow = Schemas['PanelService'];

type Outcome = Schemas['ImportOutcome'];
type Call = (ids: readonly number[], how: ChunkOptions) => Promise<Outcome>;

const AT = /^(?:services|importable_services_ids)\.(\d+)(?:\.(.+))?$/;

/** Those that are wrong, each with its sentence; none where something else is wrong. */
export function faultsOf(error: unknown, ids: readonly number[]): BulkOutcome['skipped'] | null {
  if (!(error instanceof Problem) || error.status !== 422) return null;
  const skipped = new Map<number, BulkOutcome['skipped'][number]>();
  for (const [field, messages] of Object.entries(error.fields)) {
    const [, at, name = 'id'] = AT.exec(field) ?? [];
    const id = ids[Number(at)];
    if (at === undefined || id === undefined) return null;
    if (!skipped.has(id)) skipped.set(id, { id, code: name, message: messages[0] ?? error.message });
  }
  return skipped.size > 0 ? [...skipped.values()] : null;
}

/** Imports what can be imported. */
export async function importing(call: Call, ids: readonly number[], how: ChunkOptions): Promise<BulkOutcome> {
  const outcome = (created: number, skipped: BulkOutcome['skipped'], record?: Outcome): BulkOutcome => ({
    processed: created,
    skipped,
    totals: { orders: 0, returned: '0', users: 0 },
    dry_run: how.dryRun,
    ...(record ? { record } : {}),
  });
  try {
    const done = await call(ids, how);
    return outcome(done.created, [], done);
  } catch (error) {
    const skipped = faultsOf(error, ids);
    if (!skipped) throw error;
    const left = ids.filter((id) => !skipped.some((skip) => skip.id === id));
    if (left.length === 0) return outcome(0, skipped);
    // Another request, so another key.
    const done = await call(left, { ...how, key: `${how.key}-rest` });
    return outcome(done.created, skipped, done);
  }
}

/** Providers without services. */
export function importProviders(panel: number): Call {
  return async (ids, how) => {
    const body = { external_panel_id: panel, importable_services_ids: [...ids] };
    return (await unwrap(api.POST('/api/v1/admin/external-panels/import-providers', { ...writeInit(how), body }))).data;
  };
}
