// The list of changes that syncs found at external panels. Some changes wait until a staff member accepts or declines them.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { syncChanges } from '@/api/lists/sync-changes';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import { type List, scopeToRecord } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';

type SyncChangeRow = Schemas['SyncChangeRow'];

/** Fields whose values the list shows as "yes" or "no". */
const YES_NO_FIELDS: readonly string[] = ['has_refill', 'drip_feed_is_allowed'];

/** Shows the old or the new value of a field, and booleans as text such as "yes" or "on sale". */
function SyncedFieldValue({ row, value }: { row: SyncChangeRow; value: string }) {
  const { t } = useTranslation();
  if (YES_NO_FIELDS.includes(row.field)) return <>{t(value === 'true' ? 'ui.yes' : 'ui.no')}</>;
  const isSaleField = row.field === 'availability' || row.field === 'is_deactivated';
  if (!isSaleField) return <>{value}</>;
  // `availability` is true if the service is on sale, but `is_deactivated` is true if the service is not on sale.
  const isOnSale = (value === 'true') === (row.field === 'availability');
  return <>{t(isOnSale ? 'syncChanges.onSale' : 'syncChanges.notOnSale')}</>;
}

function createDecisionAction(
  operation: 'accept' | 'reject',
  definition: Pick<Action<SyncChangeRow>, 'name' | 'icon' | 'isAllowedFor'>,
): Action<SyncChangeRow> {
  return {
    ...definition,
    ...createPerRecordRequests('POST', `/api/v1/admin/external-panels/sync-changes/{id}/${operation}`),
  };
}

const SYNC_CHANGES: List<SyncChangeRow> = defineList(syncChanges, {
  title: 'syncChanges.title',
  columns: {
    id: 76,
    'external_panel.name': 140,
    'provider.name': 200,
    'service.name': 200,
    field: 160,
    old_value: { width: 140, cell: (row) => <SyncedFieldValue row={row} value={row.old_value} /> },
    new_value: { width: 140, cell: (row) => <SyncedFieldValue row={row} value={row.new_value} /> },
    'decided_by.id': { width: 140, cell: (row) => row.decided_by?.name ?? '–', sortable: false },
  },
  defaultFilters: { state: 'held' },
  persistentFilters: ['state'],
  actions: [
    createDecisionAction('accept', {
      name: 'acceptChange',
      icon: 'check',
      isAllowedFor: (row) => row.actions.acceptable,
    }),
    createDecisionAction('reject', {
      name: 'rejectChange',
      icon: 'times',
      isAllowedFor: (row) => row.actions.rejectable,
    }),
  ],
});

/** The tab with the sync changes of one external panel. */
export function PanelSyncChanges({ id }: { id: number }) {
  return <ServerTable list={scopeToRecord(SYNC_CHANGES, { 'external_panel.id': String(id) })} />;
}

export default function SyncChanges() {
  return <ServerTable list={SYNC_CHANGES} />;
}
