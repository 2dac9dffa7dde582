// What following panels changed, and what waits for a yes or no.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import { type Column, type List, within } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';

type Row = Schemas['SyncChangeRow'];

const STATES = ['held', 'applied', 'accepted', 'refused', 'outdated'] as const;
const FIELDS = [
  'source_price',
  'default_price',
  'min_price',
  'own_prices',
  'has_refill',
  'drip_feed_is_allowed',
  'description',
  'short_description',
  'reviews',
  'meta_title',
  'meta_description',
  'labels',
  'name',
  'min_quantity',
  'max_quantity',
  'quantity_step',
  'is_deactivated',
  'availability',
] as const;

/** Switches that say something else than whether it is sold. */
const FLAGS: readonly string[] = ['has_refill', 'drip_feed_is_allowed'];

const of = columnsOf<Row>('syncChanges');
const HIDDEN = { hidden: true } as const;

const COLUMNS: readonly Column<Row>[] = [
  of.id(76),
  of.time('created_at', 'createdAt'),
  of.status('state', 'state', STATES),
  of.record('panel', 'external_panel', 'panel', 140),
  of.record('provider', 'provider', 'provider', 200),
  of.record('service', 'service', 'service', 200),
  {
    name: 'field',
    label: 'syncChanges.columns.field',
    width: 160,
    filter: { kind: 'words', words: FIELDS, texts: 'syncField' },
    cell: (row) => <FieldName field={row.field} />,
  },
  { ...of.text('old_value', 'old', 140), cell: (row) => <Value row={row} value={row.old_value} /> },
  { ...of.text('new_value', 'new', 140), cell: (row) => <Value row={row} value={row.new_value} /> },
  of.time('decided_at', 'decidedAt', HIDDEN),
  {
    name: 'decided_by.id',
    label: 'syncChanges.columns.decidedBy',
    width: 140,
    hidden: true,
    sortable: false,
    cell: (row) => row.decided_by?.name ?? '–',
  },
];

function FieldName({ field }: { field: Row['field'] }) {
  const { t } = useTranslation();
  return <>{t(`syncField.${field}`)}</>;
}

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
    ...eachOf('POST', `/api/v1/admin/external-panels/sync-changes/{id}/${verb}`),
  };
}

const CHANGES: List<Row> = {
  name: 'sync-changes',
  title: 'syncChanges.title',
  path: '/api/v1/admin/external-panels/sync-changes',
  columns: COLUMNS,
  searched: { sync_run_id: 'syncChanges.columns.run' },
  defaults: { state: 'held' },
  stays: ['state'],
  actions: [
    decision('accept', { name: 'acceptChange', icon: 'check', allows: (row) => row.actions.acceptable }),
    decision('refuse', { name: 'refuseChange', icon: 'times', allows: (row) => row.actions.refusable }),
  ],
};

/** A tab of a panel's page. */
export function PanelChanges({ id }: { id: number }) {
  return <ServerTable list={within(CHANGES, { 'external_panel.id': String(id) })} />;
}

/** Of all panels. */
export default function Changes() {
  return <ServerTable list={CHANGES} />;
}
