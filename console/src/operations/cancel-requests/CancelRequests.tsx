// Customers' requests to cancel orders. Those that wait for a decision of staff come first.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { orderCancelRequests } from '@/api/lists/order-cancel-requests';
import { count } from '@/i18n/format';
import type { List } from '@/table/declare';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { CANCEL_REQUEST_ACTIONS } from './actions';

type Row = Schemas['OrderCancelRequest'];

/** Providers answer and other staff decide at the same time. */
const EVERY_MS = 30_000;

export function Cause({ row }: { row: Row }) {
  const { t } = useTranslation();
  return <>{row.cause ? t(`cancelRequestCause.${row.cause}`) : '–'}</>;
}

export const CANCEL_REQUESTS: List<Row> = listOf(orderCancelRequests, {
  name: 'cancel-requests',
  title: 'cancelRequests.title',
  columns: {
    id: 76,
    cause: { width: 190, cell: (row) => <Cause row={row} /> },
    'order.id': { width: 92, cell: (row) => <Link href={`/orders/${row.order.id}`}>{row.order.id}</Link> },
    'order.current_quantity': {
      width: 130,
      cell: (row) => `${count(row.order.current_quantity)} / ${count(row.order.quantity)}`,
    },
    'user.name': 140,
    'provider.name': 150,
    answer: 220,
    'decided_by.name': 130,
  },
  defaults: { status: 'requested,asked' },
  everyMs: EVERY_MS,
  actions: CANCEL_REQUEST_ACTIONS,
});

export default function CancelRequests() {
  return <ServerTable list={CANCEL_REQUESTS} />;
}
