// Customers' requests to cancel orders. Those that wait for a decision of staff come first.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { count, money } from '@/i18n/format';
import { type Column, filterOnly, type List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { STATUSES as ORDER_STATUSES } from '../orders/declaration';
import { CANCEL_REQUEST_ACTIONS } from './actions';

type Row = Schemas['OrderCancelRequest'];

const STATUSES = ['requested', 'asked', 'confirmed', 'refused', 'expired'] as const;
const CAUSES = ['provider_refused', 'not_supported', 'no_answer', 'not_ended', 'by_hand'] as const;
const HIDDEN = { hidden: true } as const;
/** Providers answer and other staff decide at the same time. */
const EVERY_MS = 30_000;

export function Cause({ row }: { row: Row }) {
  const { t } = useTranslation();
  return <>{row.cause ? t(`cancelRequestCause.${row.cause}`) : '–'}</>;
}

const c = columnsOf<Row>('cancelRequests');
const COLUMNS: readonly Column<Row>[] = [
  c.id(76),
  c.time('created_at', 'createdAt'),
  c.status('status', 'status', STATUSES),
  {
    name: 'cause',
    label: 'cancelRequests.columns.cause',
    width: 190,
    filter: { kind: 'words', words: CAUSES, texts: 'cancelRequestCause' },
    cell: (row) => <Cause row={row} />,
  },
  {
    name: 'order.id',
    label: 'cancelRequests.columns.order',
    width: 92,
    filter: { kind: 'ids' },
    cell: (row) => <Link href={`/orders/${row.order.id}`}>{row.order.id}</Link>,
  },
  {
    name: 'order.current_quantity',
    label: 'cancelRequests.columns.delivered',
    width: 130,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => `${count(row.order.current_quantity)} / ${count(row.order.quantity)}`,
  },
  {
    name: 'returned',
    label: 'cancelRequests.columns.returned',
    width: 110,
    align: 'end',
    sortable: false,
    cell: (row) => money(row.returned),
  },
  c.person('user', 'user', 140),
  c.record('provider', 'provider', 'provider', 150),
  c.text('answer', 'answer', 220),
  c.time('deadline_at', 'deadline'),
  c.time('asked_at', 'askedAt', HIDDEN),
  c.time('acknowledged_at', 'agreedAt', HIDDEN),
  c.time('escalated_at', 'escalatedAt', HIDDEN),
  c.record('user', 'decided_by', 'decidedBy', 130),
  c.time('decided_at', 'decidedAt', HIDDEN),
  filterOnly('waiting', 'cancelRequests.columns.waiting', { kind: 'flag' }),
  filterOnly('order.name', 'attempts.columns.orderName', { kind: 'text' }),
  filterOnly('order.status', 'attempts.orderStatus', { kind: 'words', words: ORDER_STATUSES, texts: 'status' }),
  filterOnly('order.quantity', 'orders.columns.quantity', { kind: 'number' }),
  filterOnly('external_order_id', 'cancelRequests.columns.externalOrder', { kind: 'ids' }),
];

export const CANCEL_REQUESTS: List<Row> = {
  name: 'cancel-requests',
  title: 'cancelRequests.title',
  path: '/api/v1/admin/order-cancel-requests',
  columns: COLUMNS,
  plain: ['waiting'],
  searched: { 'user.id': 'payments.userId' },
  defaults: { status: 'requested,asked' },
  everyMs: EVERY_MS,
  actions: CANCEL_REQUEST_ACTIONS,
};

export default function CancelRequests() {
  return <ServerTable list={CANCEL_REQUESTS} />;
}
