// Imports panel services as providers. The server rejects the whole request if one service is invalid. These functions report the
// invalid services as skipped and import the other services with a second request.
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { writeInit } from '@/api/writeOptions';
import type { BulkOutcome, ChunkOptions } from '@/table/action';

export type PanelServiceRow = Schemas['PanelService'];

type ImportOutcome = Schemas['ImportOutcome'];
type ImportCall = (ids: readonly number[], options: ChunkOptions) => Promise<ImportOutcome>;

/** The key of a field error: `services.3.price`, or `importable_services_ids.3` for an error of the record itself. */
const RECORD_FIELD = /^(?:services|importable_services_ids)\.(\d+)(?:\.(.+))?$/;

/**
 * Returns the records with errors, each with its first message. Null if there is an error without a record, such as a missing
 * type.
 */
export function findSkippedRecords(error: unknown, ids: readonly number[]): BulkOutcome['skipped'] | null {
  if (!(error instanceof Problem) || error.status !== 422) return null;
  const skipped = new Map<number, BulkOutcome['skipped'][number]>();
  for (const [field, messages] of Object.entries(error.fields)) {
    const [, index, name = 'id'] = RECORD_FIELD.exec(field) ?? [];
    const id = ids[Number(index)];
    if (index === undefined || id === undefined) return null;
    if (!skipped.has(id)) skipped.set(id, { id, code: name, message: messages[0] ?? error.message });
  }
  return skipped.size > 0 ? [...skipped.values()] : null;
}

/** Imports the valid records, and returns the invalid records as skipped. */
export async function importValidRecords(
  importRecords: ImportCall,
  ids: readonly number[],
  options: ChunkOptions,
): Promise<BulkOutcome> {
  const toBulkOutcome = (created: number, skipped: BulkOutcome['skipped'], record?: ImportOutcome): BulkOutcome => ({
    processed: created,
    skipped,
    totals: { orders: 0, returned: '0', users: 0 },
    dry_run: options.dryRun,
    ...(record ? { record } : {}),
  });
  try {
    const outcome = await importRecords(ids, options);
    return toBulkOutcome(outcome.created, [], outcome);
  } catch (error) {
    const skipped = findSkippedRecords(error, ids);
    if (!skipped) throw error;
    const validIds = ids.filter((id) => !skipped.some((record) => record.id === id));
    if (validIds.length === 0) return toBulkOutcome(0, skipped);
    // The second request has another body, so it needs another idempotency key.
    const outcome = await importRecords(validIds, { ...options, key: `${options.key}-rest` });
    return toBulkOutcome(outcome.created, skipped, outcome);
  }
}

export function createImportProvidersCall(panelId: number): ImportCall {
  return async (ids, options) => {
    const body = { external_panel_id: panelId, importable_services_ids: [...ids] };
    const path = '/api/v1/admin/external-panels/import-providers';
    return (await unwrap(api.POST(path, { ...writeInit(options), body }))).data;
  };
}
