// External panels as a list, and what can be done with one beside changing it.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { externalPanels } from '@/api/lists/external-panels';
import { formatMoneyIn } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';

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
  const text = formatMoneyIn(panel.balance, panel.currency);
  return panel.balance_is_low ? <span className="tag tag-warning">{text}</span> : text;
}

/** What is taken over, in words. */
export function Synced({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const on = [...OWN_SYNC, ...SYNC].filter((name) => panel[name]);
  return on.map((name) => t(`externalPanels.sync.${name}`)).join(', ') || '–';
}

export const PANEL_ACTIONS: readonly Action<ExternalPanel>[] = [
  {
    name: 'archivePanel',
    icon: 'inbox',
    allows: (row) => row.actions.archivable,
    ...perRecordCalls('POST', `${PATH}/{id}/archive`),
  },
  {
    name: 'unarchivePanel',
    icon: 'replay',
    allows: (row) => row.actions.restore,
    ...perRecordCalls('POST', `${PATH}/{id}/unarchive`),
  },
];

export const EXTERNAL_PANELS: List<ExternalPanel> = defineList(externalPanels, {
  title: 'externalPanels.title',
  columns: {
    id: { width: 72, to: (row) => `/external-panels/${row.id}` },
    name: (row) => <Link href={`/external-panels/${row.id}`}>{row.name}</Link>,
    type: (row) => row.type_label,
    balance: { width: 140, cell: (row) => <Balance panel={row} /> },
    currency: 100,
    last_error: 260,
    sync_services: { width: 240, cell: (row) => <Synced panel={row} /> },
    providers_count: 110,
    open_orders_count: 110,
    endpoint: 260,
    statistic_type: 220,
    sync_failed: { width: 120, bad: true },
  },
  defaults: { status: 'active,error,disabled' },
  actions: PANEL_ACTIONS,
  open: (row) => `/external-panels/${row.id}`,
});
