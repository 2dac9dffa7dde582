// External panel orders as a list: its columns, and placing again what was left undelivered.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { count } from '@/i18n/format';
import { STATUSES as ORDER_STATUSES } from '@/operations/orders/declaration';
import type { Action } from '@/table/action';
import { type Column, filterOnly, type List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { StatusTag } from '@/ui/StatusTag';

export type Row = Schemas['ExternalPanelOrder'];
type Status = Schemas['ExternalStatus'];

export const PATH = '/api/v1/admin/external-panel-orders';

const STATUSES = ['Creating', 'Pending', 'In progress', 'Processing', 'Completed', 'Partial', 'Canceled'] as const;

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

const c = columnsOf<Row>('attempts');

const COLUMNS: readonly Column<Row>[] = [
  c.id(84, (row) => `/external-panel-orders/${row.id}`),
  {
    name: 'order.id',
    label: 'attempts.columns.order',
    width: 100,
    filter: { kind: 'ids' },
    cell: (row) => <Link href={`/orders/${row.order.id}`}>{row.order.id}</Link>,
  },
  {
    name: 'status',
    label: 'attempts.columns.status',
    width: 160,
    filter: { kind: 'words', words: STATUSES, texts: 'externalStatus' },
    cell: (row) => <Standing row={row} />,
  },
  c.record('service', 'service', 'service', 190),
  c.record('provider', 'provider', 'provider', 170),
  c.record('panel', 'external_panel', 'panel', 150),
  {
    name: 'external_panel_service_id',
    label: 'attempts.columns.serviceThere',
    width: 200,
    hidden: true,
    filter: { kind: 'text' },
    cell: (row) => serviceThereOf(row) || '–',
  },
  c.text('external_panel_order_id', 'idThere', 120),
  c.number('initial_quantity', 'quantity', 100),
  c.number('sold_quantity', 'sold', 100, { hidden: true }),
  c.number('remains', 'remains', 100),
  {
    name: 'charge',
    label: 'attempts.columns.charge',
    width: 120,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => chargeOf(row, row.charge),
  },
  {
    name: 'initial_charge',
    label: 'attempts.columns.initialCharge',
    width: 130,
    align: 'end',
    hidden: true,
    filter: { kind: 'money' },
    cell: (row) => chargeOf(row, row.initial_charge),
  },
  c.text('last_error', 'error', 220),
  c.time('created_at', 'createdAt'),
  c.time('sent_at', 'sentAt', { hidden: true }),
  c.time('ended_at', 'endedAt', { hidden: true }),
  c.time('alert_at', 'alertAt', { hidden: true }),
  c.time('cancel_requested_at', 'cancelAsked', { hidden: true }),
  c.number('start_count', 'startCount', 110, { hidden: true, label: 'orders.startCount' }),
  filterOnly('order.name', 'attempts.columns.orderName', { kind: 'text' }),
  filterOnly('order.status', 'attempts.orderStatus', { kind: 'words', words: ORDER_STATUSES, texts: 'status' }),
  filterOnly('stuck', 'attempts.isStuck', { kind: 'flag' }),
  filterOnly('currency', 'methods.columns.currency', { kind: 'text' }),
  filterOnly('unknown_message', 'attempts.words', { kind: 'text' }),
];

/** What would be placed, and what is said by it. */
function Would({ row }: { row: Row }) {
  const { t } = useTranslation();
  return (
    <p>
      {t('attempts.would', { quantity: count(row.initial_quantity), provider: row.provider.name, id: row.order.id })}
    </p>
  );
}

export const ATTEMPT_ACTIONS: readonly Action<Row>[] = [
  {
    name: 'recreateAttempt',
    icon: 'replay',
    tone: 'danger',
    allows: (row) => row.actions.recreatable,
    Would,
    ...eachOf('POST', `${PATH}/{id}/recreate`),
  },
];

export const EXTERNAL_PANEL_ORDERS: List<Row> = {
  name: 'external-panel-orders',
  title: 'attempts.title',
  path: PATH,
  columns: COLUMNS,
  plain: ['stuck', 'order_id', 'provider_id', 'external_panel_id'],
  everyMs: 30_000,
  actions: ATTEMPT_ACTIONS,
  open: (row) => `/external-panel-orders/${row.id}`,
};
