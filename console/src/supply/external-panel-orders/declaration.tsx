// External panel orders as a list: its columns, and placing again what was left undelivered.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { externalPanelOrders } from '@/api/lists/external-panel-orders';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { StatusTag } from '@/ui/StatusTag';

export type Row = Schemas['ExternalPanelOrder'];
type Status = Schemas['ExternalStatus'];

export const PATH = '/api/v1/admin/external-panel-orders';

/** How each looks: as the panel's own statuses do. */
const LOOKS: Record<Status, string> = {
  Creating: 'waiting',
  Pending: 'pending',
  'In progress': 'running',
  Processing: 'running',
  Completed: 'completed',
  Partial: 'failing',
  Canceled: 'canceled',
};

export function ExternalStatus({ status }: { status: Status }) {
  const { t } = useTranslation();
  return <StatusTag status={LOOKS[status]} label={t(`externalStatus.${status}`)} />;
}

/** Where it stands, and why a person should look. */
function Standing({ row }: { row: Row }) {
  const { t } = useTranslation();
  return (
    <>
      <ExternalStatus status={row.status} />{' '}
      {row.is_stuck && (
        <i className="pi pi-exclamation-triangle flag-bad" role="img" aria-label={t('attempts.isStuck')} />
      )}
    </>
  );
}

/** An amount that the panel charged, in the panel's currency. */
export const chargeOf = (row: Row, amount: string) => `${amount} ${row.currency ?? ''}`.trim();

/** The panel's service: its id there and, where the panel's list has it, its name. */
export const serviceThereOf = (row: Row) =>
  [row.external_panel_service_id, row.external_panel_service?.name].filter(Boolean).join(' · ');

/** What would be placed, and what is said by it. */
function PreviewDetails({ row }: { row: Row }) {
  const { t } = useTranslation();
  return (
    <p>
      {t('attempts.would', {
        quantity: formatNumber(row.initial_quantity),
        provider: row.provider.name,
        id: row.order.id,
      })}
    </p>
  );
}

export const ATTEMPT_ACTIONS: readonly Action<Row>[] = [
  {
    name: 'recreateAttempt',
    icon: 'replay',
    tone: 'danger',
    allows: (row) => row.actions.recreatable,
    PreviewDetails,
    ...perRecordCalls('POST', `${PATH}/{id}/recreate`),
  },
];

export const EXTERNAL_PANEL_ORDERS: List<Row> = defineList(externalPanelOrders, {
  title: 'attempts.title',
  columns: {
    id: { width: 84, to: (row) => `/external-panel-orders/${row.id}` },
    'order.id': { width: 100, cell: (row) => <Link href={`/orders/${row.order.id}`}>{row.order.id}</Link> },
    status: { width: 160, cell: (row) => <Standing row={row} /> },
    'service.name': 190,
    'provider.name': 170,
    'external_panel.name': 150,
    external_panel_service_id: (row) => serviceThereOf(row) || '–',
    external_panel_order_id: 120,
    initial_quantity: 100,
    sold_quantity: 100,
    remains: 100,
    charge: { width: 120, cell: (row) => chargeOf(row, row.charge) },
    initial_charge: { width: 130, cell: (row) => chargeOf(row, row.initial_charge) },
    last_error: 220,
    start_count: 110,
  },
  refetchIntervalMs: 30_000,
  actions: ATTEMPT_ACTIONS,
  open: (row) => `/external-panel-orders/${row.id}`,
});
