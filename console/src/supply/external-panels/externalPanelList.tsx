// The declaration of the list of external panels, and of their actions.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { externalPanels } from '@/api/lists/external-panels';
import { formatMoneyIn } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';

export type ExternalPanel = Schemas['ExternalPanel'];

export const EXTERNAL_PANELS_PATH = '/api/v1/admin/external-panels';

/** Flags of the fields that syncs copy only from external panels which run the same software as this server (type `socpanel`). */
export const SOCPANEL_SYNC_FLAGS = [
  'sync_services',
  'sync_packages',
  'sync_short_description',
  'sync_labels',
  'sync_meta',
  'sync_reviews',
] as const;
/** Flags of the fields that syncs copy from external panels of every type. */
export const COMMON_SYNC_FLAGS = [
  'sync_prices',
  'sync_name',
  'sync_service_details',
  'sync_description',
  'sync_params',
] as const;

/** Shows our balance at the external panel, with a warning color if the balance is low. */
export function PanelBalance({ panel }: { panel: ExternalPanel }) {
  if (!panel.balance) return '–';
  const text = formatMoneyIn(panel.balance, panel.currency);
  return panel.balance_is_low ? <span className="tag tag-warning">{text}</span> : text;
}

/** Shows the names of the fields that syncs copy from the external panel. */
export function SyncedFields({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const enabledFlags = [...SOCPANEL_SYNC_FLAGS, ...COMMON_SYNC_FLAGS].filter((flag) => panel[flag]);
  return enabledFlags.map((name) => t(`externalPanels.sync.${name}`)).join(', ') || '–';
}

export const PANEL_ACTIONS: readonly Action<ExternalPanel>[] = [
  {
    name: 'archivePanel',
    icon: 'inbox',
    isAllowedFor: (row) => row.actions.archivable,
    ...createPerRecordRequests('POST', `${EXTERNAL_PANELS_PATH}/{id}/archive`),
  },
  {
    name: 'unarchivePanel',
    icon: 'replay',
    isAllowedFor: (row) => row.actions.restore,
    ...createPerRecordRequests('POST', `${EXTERNAL_PANELS_PATH}/{id}/unarchive`),
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
  getRecordUrl: (row) => `/external-panels/${row.id}`,
});
