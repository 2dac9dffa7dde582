// What following panels changed, and what waits for a yes or no.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { syncChanges } from '@/api/lists/sync-changes';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import { type List, scopeToRecord } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';

type Row = Schemas['SyncChangeRow'];

/** Switches that say something else than whether it is sold. */
const FLAGS: readonly string[] = ['has_refill', 'drip_feed_is_allowed'];

/** A switch in words. */
function Value({ row, value }: { row: Row; value: string }) {
  const { t } = useTranslation();
  if (FLAGS.includes(row.field)) return <>{t(value === 'true' ? 'ui.yes' : 'ui.no')}</>;
  const isSwitch = row.field === 'availability' || row.field === 'is_deactivated';
  if (!isSwitch) return <>{value}</>;
  // Off sale is the opposite of sold.
  const isSold = (value === 'true') === (row.field === 'availability');
  return <>{t(isSold ? 'syncChanges.sold' : 'syncChanges.notSold')}</>;
}

function decision(verb: 'accept' | 'refuse', more: Pick<Action<Row>, 'name' | 'icon' | 'allows'>): Action<Row> {
  return {
    ...more,
    ...perRecordCalls('POST', `/api/v1/admin/external-panels/sync-changes/{id}/${verb}`),
  };
}

const CHANGES: List<Row> = defineList(syncChanges, {
  title: 'syncChanges.title',
  columns: {
    id: 76,
    'external_panel.name': 140,
    'provider.name': 200,
    'service.name': 200,
    field: 160,
    old_value: { width: 140, cell: (row) => <Value row={row} value={row.old_value} /> },
    new_value: { width: 140, cell: (row) => <Value row={row} value={row.new_value} /> },
    'decided_by.id': { width: 140, cell: (row) => row.decided_by?.name ?? '–', sortable: false },
  },
  defaults: { state: 'held' },
  persistentFilters: ['state'],
  actions: [
    decision('accept', { name: 'acceptChange', icon: 'check', allows: (row) => row.actions.acceptable }),
    decision('refuse', { name: 'refuseChange', icon: 'times', allows: (row) => row.actions.refusable }),
  ],
});

/** A tab of a panel's page. */
export function PanelChanges({ id }: { id: number }) {
  return <ServerTable list={scopeToRecord(CHANGES, { 'external_panel.id': String(id) })} />;
}

/** Of all panels. */
export default function Changes() {
  return <ServerTable list={CHANGES} />;
}
