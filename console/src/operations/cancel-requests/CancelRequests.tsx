// The list of the requests with which customers ask to cancel orders. Requests that wait for a decision of staff come first.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { orderCancelRequests } from '@/api/lists/order-cancel-requests';
import { formatNumber } from '@/i18n/format';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { CANCEL_REQUEST_ACTIONS } from './actions';

type CancelRequestRow = Schemas['OrderCancelRequest'];

/** The list changes while it is open: providers respond to requests, and other staff members confirm or decline them. */
const REFETCH_INTERVAL_MS = 30_000;

export function CauseText({ row }: { row: CancelRequestRow }) {
  const { t } = useTranslation();
  return <>{row.cause ? t(`cancelRequestCause.${row.cause}`) : '–'}</>;
}

export const CANCEL_REQUEST_LIST: List<CancelRequestRow> = defineList(orderCancelRequests, {
  name: 'cancel-requests',
  title: 'cancelRequests.title',
  columns: {
    id: 76,
    cause: { width: 190, cell: (row) => <CauseText row={row} /> },
    'order.id': { width: 92, cell: (row) => <Link href={`/orders/${row.order.id}`}>{row.order.id}</Link> },
    'order.current_quantity': {
      width: 130,
      cell: (row) => `${formatNumber(row.order.current_quantity)} / ${formatNumber(row.order.quantity)}`,
    },
    'user.name': 140,
    'provider.name': 150,
    provider_response: 220,
    'decided_by.name': 130,
  },
  defaultFilters: { status: 'requested,sent' },
  refetchIntervalMs: REFETCH_INTERVAL_MS,
  actions: CANCEL_REQUEST_ACTIONS,
});

export default function CancelRequests() {
  return <ServerTable list={CANCEL_REQUEST_LIST} />;
}
