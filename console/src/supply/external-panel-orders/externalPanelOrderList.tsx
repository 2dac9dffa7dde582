// The declaration of the list of external panel orders, and of the action that places the undelivered quantity again.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { externalPanelOrders } from '@/api/lists/external-panel-orders';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { StatusTag } from '@/ui/StatusTag';

export type ExternalPanelOrder = Schemas['ExternalPanelOrder'];
type ExternalStatus = Schemas['ExternalStatus'];

export const EXTERNAL_PANEL_ORDERS_PATH = '/api/v1/admin/external-panel-orders';

/** Maps each status to the status of `StatusTag` that has the right color and icon. */
const TAG_STATUSES: Record<ExternalStatus, string> = {
  Creating: 'waiting',
  Pending: 'pending',
  'In progress': 'running',
  Processing: 'running',
  Completed: 'completed',
  Partial: 'failing',
  Canceled: 'canceled',
};

export function ExternalStatusTag({ status }: { status: ExternalStatus }) {
  const { t } = useTranslation();
  return <StatusTag status={TAG_STATUSES[status]} label={t(`externalStatus.${status}`)} />;
}

function StatusCell({ row }: { row: ExternalPanelOrder }) {
  const { t } = useTranslation();
  return (
    <>
      <ExternalStatusTag status={row.status} />{' '}
      {row.is_stuck && (
        <i
          className="pi pi-exclamation-triangle flag-bad"
          role="img"
          aria-label={t('externalPanelOrders.needsAttention')}
        />
      )}
    </>
  );
}

/** Formats an amount that the external panel charged, in its currency. */
export const formatCharge = (row: ExternalPanelOrder, amount: string) => `${amount} ${row.currency ?? ''}`.trim();

/** Formats the ordered service: its external id, and its name if the stored service list contains the service. */
export const formatExternalService = (row: ExternalPanelOrder) =>
  [row.external_panel_service_id, row.external_panel_service?.name].filter(Boolean).join(' · ');

/** Shows the quantity and the provider of the new attempt. */
function RecreatePreview({ row }: { row: ExternalPanelOrder }) {
  const { t } = useTranslation();
  return (
    <p>
      {t('externalPanelOrders.recreatePreview', {
        quantity: formatNumber(row.initial_quantity),
        provider: row.provider.name,
        id: row.order.id,
      })}
    </p>
  );
}

export const ATTEMPT_ACTIONS: readonly Action<ExternalPanelOrder>[] = [
  {
    name: 'recreateAttempt',
    icon: 'replay',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.recreatable,
    PreviewDetails: RecreatePreview,
    ...createPerRecordRequests('POST', `${EXTERNAL_PANEL_ORDERS_PATH}/{id}/recreate`),
  },
];

export const EXTERNAL_PANEL_ORDERS: List<ExternalPanelOrder> = defineList(externalPanelOrders, {
  title: 'externalPanelOrders.title',
  columns: {
    id: { width: 84, linkTo: (row) => `/external-panel-orders/${row.id}` },
    'order.id': { width: 100, cell: (row) => <Link href={`/orders/${row.order.id}`}>{row.order.id}</Link> },
    status: { width: 160, cell: (row) => <StatusCell row={row} /> },
    'service.name': 190,
    'provider.name': 170,
    'external_panel.name': 150,
    external_panel_service_id: (row) => formatExternalService(row) || '–',
    external_panel_order_id: 120,
    initial_quantity: 100,
    sold_quantity: 100,
    remains: 100,
    charge: { width: 120, cell: (row) => formatCharge(row, row.charge) },
    initial_charge: { width: 130, cell: (row) => formatCharge(row, row.initial_charge) },
    last_error: 220,
    start_count: 110,
  },
  refetchIntervalMs: 30_000,
  actions: ATTEMPT_ACTIONS,
  getRecordUrl: (row) => `/external-panel-orders/${row.id}`,
});
