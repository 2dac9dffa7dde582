// Declares the list of external panels and the actions on them.
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

export const EXTERNAL_PANELS_PATH = '/api/v1/admin/external-panels';

/** Flags of the fields that syncs copy only from panels of this product (type `socpanel`). */
export const SAME_PRODUCT_SYNC_FLAGS = [
  'sync_services',
  'sync_packages',
  'sync_short_description',
  'sync_labels',
  'sync_meta',
  'sync_reviews',
] as const;
/** Flags of the fields that syncs copy from panels of every type. */
export const COMMON_SYNC_FLAGS = [
  'sync_prices',
  'sync_name',
  'sync_service_details',
  'sync_description',
  'sync_params',
] as const;

/** Our balance at the panel, with a warning color if it is low. */
export function PanelBalance({ panel }: { panel: ExternalPanel }) {
  if (!panel.balance) return '–';
  const text = formatMoneyIn(panel.balance, panel.currency);
  return panel.balance_is_low ? <span className="tag tag-warning">{text}</span> : text;
}

/** Names of the fields that syncs copy from the panel. */
export function SyncedFields({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const enabledFlags = [...SAME_PRODUCT_SYNC_FLAGS, ...COMMON_SYNC_FLAGS].filter((flag) => panel[flag]);
  return enabledFlags.map((name) => t(`externalPanels.sync.${name}`)).join(', ') || '–';
}

export const PANEL_ACTIONS: readonly Action<ExternalPanel>[] = [
  {
    name: 'archivePanel',
    icon: 'inbox',
    allows: (row) => row.actions.archivable,
    ...perRecordCalls('POST', `${EXTERNAL_PANELS_PATH}/{id}/archive`),
  },
  {
    name: 'unarchivePanel',
    icon: 'replay',
    allows: (row) => row.actions.restore,
    ...perRecordCalls('POST', `${EXTERNAL_PANELS_PATH}/{id}/unarchive`),
  },
];

export const EXTERNAL_PANELS: List<ExternalPanel> = defineList(externalPanels, {
  title: 'externalPanels.title',
  columns: {
    id: { width: 72, linkTo: (row) => `/external-panels/${row.id}` },
    name: (row) => <Link href={`/external-panels/${row.id}`}>{row.name}</Link>,
    type: (row) => row.type_label,
    balance: { width: 140, cell: (row) => <PanelBalance panel={row} /> },
    currency: 100,
    last_error: 260,
    sync_services: { width: 240, cell: (row) => <SyncedFields panel={row} /> },
    providers_count: 110,
    open_orders_count: 110,
    endpoint: 260,
    statistic_type: 220,
    sync_failed: { width: 120, isWarning: true },
  },
  defaultFilters: { status: 'active,error,disabled' },
  actions: PANEL_ACTIONS,
  recordUrl: (row) => `/external-panels/${row.id}`,
});
