// External panels as a list, and what can be done with one beside changing it.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { moneyOf } from '@/i18n/format';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';

export type ExternalPanel = Schemas['ExternalPanel'];

export const PATH = '/api/v1/admin/external-panels';

/** What is taken over from panels of this product only. */
export const OWN_SYNC = [
  'sync_services',
  'sync_packages',
  'sync_short_description',
  'sync_labels',
  'sync_meta',
  'sync_reviews',
] as const;
/** What is taken over from any panel. */
export const SYNC = ['sync_prices', 'sync_name', 'sync_service_details', 'sync_description', 'sync_params'] as const;

/** Our balance there; in a tone of its own where it is low. */
export function Balance({ panel }: { panel: ExternalPanel }) {
  if (!panel.balance) return '–';
  const text = moneyOf(panel.balance, panel.currency);
  return panel.balance_is_low ? <span className="tag tag-warning">{text}</span> : text;
}

/** What is taken over, in words. */
export function Synced({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const on = [...OWN_SYNC, ...SYNC].filter((name) => panel[name]);
  return on.map((name) => t(`externalPanels.sync.${name}`)).join(', ') || '–';
}

function Statistic({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  return t(`externalPanels.statistic.${panel.statistic_type}`);
}

const c = columnsOf<ExternalPanel>('externalPanels');
const COLUMNS: readonly Column<ExternalPanel>[] = [
  c.id(72, (row) => `/external-panels/${row.id}`),
  c.text('name', 'name', 200, { cell: (row) => <Link href={`/external-panels/${row.id}`}>{row.name}</Link> }),
  {
    name: 'type',
    label: 'externalPanels.columns.type',
    width: 130,
    filter: { kind: 'words', words: ['perfect_panel', 'socpanel'], texts: 'panelType' },
    cell: (row) => row.type_label,
  },
  c.status('status', 'status', ['active', 'error', 'disabled', 'archived']),
  {
    name: 'balance',
    label: 'externalPanels.columns.balance',
    width: 140,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => <Balance panel={row} />,
  },
  c.text('currency', 'currency', 100),
  c.time('last_ok_at', 'lastOkAt'),
  c.text('last_error', 'lastError', 260),
  {
    name: 'sync_services',
    label: 'externalPanels.columns.sync',
    width: 240,
    sortable: false,
    cell: (row) => <Synced panel={row} />,
  },
  c.number('providers_count', 'providers', 110),
  c.number('open_orders_count', 'openOrders', 110),
  c.text('endpoint', 'endpoint', 260, { hidden: true }),
  {
    name: 'statistic_type',
    label: 'externalPanels.statistic.label',
    width: 220,
    hidden: true,
    filter: { kind: 'words', words: ['remains', 'charge'], texts: 'externalPanels.statistic' },
    cell: (row) => <Statistic panel={row} />,
  },
  c.flag('sync_failed', 'syncFailed', 120, { hidden: true }, true),
  c.time('created_at', 'createdAt'),
];

export const PANEL_ACTIONS: readonly Action<ExternalPanel>[] = [
  {
    name: 'archivePanel',
    icon: 'inbox',
    allows: (row) => row.actions.archivable,
    ...eachOf('POST', `${PATH}/{id}/archive`),
  },
  {
    name: 'unarchivePanel',
    icon: 'replay',
    allows: (row) => row.actions.restore,
    ...eachOf('POST', `${PATH}/{id}/unarchive`),
  },
];

export const EXTERNAL_PANELS: List<ExternalPanel> = {
  name: 'external-panels',
  title: 'externalPanels.title',
  path: PATH,
  columns: COLUMNS,
  defaults: { status: 'active,error,disabled' },
  actions: PANEL_ACTIONS,
  open: (row) => `/external-panels/${row.id}`,
};
