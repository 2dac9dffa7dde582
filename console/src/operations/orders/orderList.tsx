// The declaration of the list of orders.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { orders } from '@/api/lists/orders';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { UrlCell } from '@/ui/cells';
import { ORDER_ACTIONS } from './actions';
import { OrderOrigin } from './OrderOrigin';
import { OrderStatus } from './OrderStatus';

export type OrderRow = Schemas['OrderRow'];

function ApprovalText({ approval }: { approval: OrderRow['approval'] }) {
  const { t } = useTranslation();
  return approval ? t(`orders.approval.${approval}`) : '–';
}

export const ORDER_LIST: List<OrderRow> = defineList(orders, {
  title: 'orders.title',
  columns: {
    id: { width: 84, linkTo: (row) => `/orders/${row.id}` },
    status: { width: 126, cell: (row) => <OrderStatus order={row} /> },
    approval: { width: 150, cell: (row) => <ApprovalText approval={row.approval} /> },
    'service.name': {
      width: 162,
      cell: (row) => (
        <span title={row.name}>
          <OrderOrigin row={row} />
          {row.service.name}
        </span>
      ),
    },
    'user.name': 122,
    url: (row) => <UrlCell url={row.url} />,
    quantity: { width: 84, cell: (row) => row.quantity },
    percent_of_current_fill: 76,
    cost: 94,
    refunded: 104,
    margin_percent: 88,
    'user.telegram_username': {
      width: 130,
      cell: (row) => (row.user.telegram_username ? `@${row.user.telegram_username}` : '–'),
    },
    has_no_active_providers: { isWarning: true },
    source: 140,
    current_quantity: 100,
    auto_refill_is_allowed: 110,
  },
  actions: ORDER_ACTIONS,
  getRecordUrl: (row) => `/orders/${row.id}`,
});

export const CHILD_PANEL_ORDER_LIST: List<OrderRow> = {
  ...ORDER_LIST,
  name: 'child-panels',
  title: 'orders.childPanels',
  path: '/api/v1/admin/child-panel-orders',
};
