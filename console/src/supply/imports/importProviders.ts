// Imports services of external panels as providers. The server rejects the whole request if one service is invalid. In that case
// these functions report the invalid services as skipped, and import the other services with a second request.
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { createWriteOptions } from '@/api/writeOptions';
import type { BulkOutcome, ChunkOptions } from '@/table/action';

export type PanelServiceRow = Schemas['PanelService'];

type ImportOutcome = Schemas['ImportOutcome'];
type SendImportRequest = (ids: readonly number[], options: ChunkOptions) => Promise<ImportOutcome>;

/** Matches the key of a field error: `services.3.price`, or `importable_services_ids.3` for an error of the record itself. */
const RECORD_FIELD_PATTERN = /^(?:services|importable_services_ids)\.(\d+)(?:\.(.+))?$/;

/**
 * Returns the records with errors, each with its first message. Returns null if an error does not belong to a record, such as a
 * missing type.
 */
export function findSkippedRecords(error: unknown, ids: readonly number[]): BulkOutcome['skipped'] | null {
  if (!(error instanceof Problem) || error.status !== 422) return null;
  const skipped = new Map<number, BulkOutcome['skipped'][number]>();
  for (const [field, messages] of Object.entries(error.fields)) {
    const [, index, recordField = 'id'] = RECORD_FIELD_PATTERN.exec(field) ?? [];
    const id = ids[Number(index)];
    if (index === undefined || id === undefined) return null;
    if (!skipped.has(id)) skipped.set(id, { id, code: recordField, message: messages[0] ?? error.message });
  }
  return skipped.size > 0 ? [...skipped.values()] : null;
}

/** Imports the valid records, and returns the invalid records as skipped. */
export async function importValidRecords(
  sendImportRequest: SendImportRequest,
  ids: readonly number[],
  options: ChunkOptions,
): Promise<BulkOutcome> {
  const toBulkOutcome = (created: number, skipped: BulkOutcome['skipped'], record?: ImportOutcome): BulkOutcome => ({
    processed: created,
    skipped,
    totals: { orders: 0, refunded: '0', users: 0 },
    dry_run: options.dryRun,
    ...(record ? { record } : {}),
  });
  try {
    const outcome = await sendImportRequest(ids, options);
    return toBulkOutcome(outcome.created, [], outcome);
  } catch (error) {
    const skipped = findSkippedRecords(error, ids);
    if (!skipped) throw error;
    const validIds = ids.filter((id) => !skipped.some((record) => record.id === id));
    if (validIds.length === 0) return toBulkOutcome(0, skipped);
    // The body of the second request differs, so the request needs another idempotency key.
    const outcome = await sendImportRequest(validIds, { ...options, key: `${options.key}-rest` });
    return toBulkOutcome(outcome.created, skipped, outcome);
  }
}

export function createImportProvidersRequest(externalPanelId: number): SendImportRequest {
  return async (ids, options) => {
    const body = { external_panel_id: externalPanelId, importable_services_ids: [...ids] };
    const path = '/api/v1/admin/external-panels/import-providers';
    return (await unwrap(api.POST(path, { ...createWriteOptions(options), body }))).data;
  };
}
