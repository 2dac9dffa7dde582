// The orders list as data.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { count, money, percent } from '@/i18n/format';
import { type Column, filterOnly, type List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { UrlCell } from '@/ui/cells';
import { ORDER_ACTIONS } from './actions';
import { Kinds } from './Kinds';
import { OrderStatus } from './OrderStatus';

export type OrderRow = Schemas['OrderRow'];

export const STATUSES = ['in_processing', 'in_moderation', 'completed', 'stopped', 'canceled', 'unpaid'] as const;
const APPROVALS = ['pending', 'approved', 'rejected'] as const;
export const SOURCES = [
  'api',
  'cabinet',
  'order_widget',
  'socpanel',
  'perfect_panel_api',
  'subscription',
  'order_widget_multiple',
  'buy_page',
  'single_form',
  'drip_feed',
  'free_trial',
  'package',
  'order_widget_step_by_step',
  'order_widget_mini',
] as const;

const c = columnsOf<OrderRow>('orders');
const COLUMNS: readonly Column<OrderRow>[] = [
  c.id(84, (row) => `/orders/${row.id}`),
  c.time('created_at', 'createdAt'),
  c.status('status', 'status', STATUSES, { width: 126, cell: (row) => <OrderStatus order={row} /> }),
  {
    name: 'approval',
    label: 'orders.columns.approval',
    width: 150,
    hidden: true,
    filter: { kind: 'words', words: APPROVALS, texts: 'orders.approval' },
    cell: (row) => <ApprovalText approval={row.approval} />,
  },
  {
    name: 'service.name',
    label: 'orders.columns.service',
    width: 162,
    filter: { kind: 'record', of: 'service' },
    filterName: 'service',
    cell: (row) => (
      <span title={row.name}>
        <Kinds row={row} />
        {row.service.name}
      </span>
    ),
  },
  c.text('name', 'name', 200, { hidden: true }),
  c.person('user', 'user', 122),
  {
    name: 'url',
    label: 'orders.columns.url',
    width: 200,
    filter: { kind: 'text' },
    cell: (row) => <UrlCell url={row.url} />,
  },
  {
    name: 'quantity',
    label: 'orders.columns.quantity',
    width: 84,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => row.quantity,
  },
  {
    name: 'percent_of_current_fill',
    label: 'orders.columns.fill',
    hidden: true,
    width: 76,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => percent(row.percent_of_current_fill),
  },
  c.money('cost', 'cost', 94),
  c.money('refunded', 'refunded', 104, { hidden: true }),
  {
    name: 'margin_percent',
    label: 'orders.columns.margin',
    width: 88,
    align: 'end',
    hidden: true,
    filter: { kind: 'number' },
    cell: (row) => (row.margin_percent ? percent(row.margin_percent) : '–'),
  },
  {
    name: 'user.email',
    label: 'orders.columns.email',
    width: 200,
    filter: { kind: 'text' },
    hidden: true,
    cell: (row) => row.user.email,
  },
  {
    name: 'user.balance',
    label: 'orders.columns.balance',
    width: 110,
    align: 'end',
    hidden: true,
    filter: { kind: 'money' },
    cell: (row) => money(row.user.balance),
  },
  {
    name: 'user.spent',
    label: 'orders.columns.spent',
    width: 110,
    align: 'end',
    hidden: true,
    filter: { kind: 'money' },
    cell: (row) => money(row.user.spent),
  },
  {
    name: 'user.telegram_username',
    label: 'orders.columns.telegram',
    width: 130,
    filter: { kind: 'text' },
    hidden: true,
    cell: (row) => (row.user.telegram_username ? `@${row.user.telegram_username}` : '–'),
  },
  c.flag('has_no_active_providers', 'noProviders', 92, {}, true),
  {
    name: 'source',
    label: 'orders.columns.source',
    width: 140,
    hidden: true,
    filter: { kind: 'words', words: SOURCES, texts: 'source' },
    cell: (row) => <StatusText source={row.source} />,
  },
  c.time('completed_at', 'completedAt', { hidden: true }),
  c.flag('has_refill', 'hasRefill', 92, { hidden: true }),
  c.text('comment', 'comment', 200, { hidden: true }),
  {
    name: 'current_quantity',
    label: 'orders.columns.delivered',
    width: 100,
    align: 'end',
    hidden: true,
    filter: { kind: 'number' },
    cell: (row) => count(row.current_quantity),
  },
  c.money('price', 'price', 110, { hidden: true, label: 'orders.price' }),
  c.flag('is_paid', 'isPaid', 92, { hidden: true, label: 'orders.isPaid' }),
  c.flag('auto_refill_is_allowed', 'autoRefill', 110, { hidden: true, label: 'orders.autoRefill' }),
  c.time('updated_at', 'updatedAt', { hidden: true }),
  // What only the page of an order shows.
  filterOnly('child_id', 'orders.columns.childId', { kind: 'ids' }),
  filterOnly('countries', 'orders.columns.countries', { kind: 'text' }),
  filterOnly('keyword', 'orders.columns.keyword', { kind: 'text' }),
  filterOnly('seo_keyword', 'orders.columns.seoKeyword', { kind: 'text' }),
  filterOnly('quantity_for_full_fill', 'orders.fullFill', { kind: 'number' }),
  filterOnly('refill_quantity', 'orders.columns.refillQuantity', { kind: 'number' }),
  filterOnly('refill.first.quantity', 'orders.columns.firstCount', { kind: 'number' }),
  filterOnly('refill.last.quantity', 'orders.columns.lastCount', { kind: 'number' }),
  filterOnly('promotable.embed_url', 'orders.embed', { kind: 'text' }),
  filterOnly('promotable.region_restriction', 'orders.region', { kind: 'text' }),
  filterOnly('promotable.average_viewers', 'orders.viewers', { kind: 'number' }),
  filterOnly('promotable.first_statistic_viewers', 'orders.firstViewers', { kind: 'number' }),
  filterOnly('promotable.supported_at', 'orders.columns.supportedFrom', { kind: 'time' }),
  filterOnly('promotable.supported_until', 'orders.columns.supportedUntil', { kind: 'time' }),
  filterOnly('subscription_id', 'orders.plain.subscription_id', { kind: 'ids' }),
  filterOnly('drip_feed_id', 'orders.plain.drip_feed_id', { kind: 'ids' }),
  filterOnly('combo_order_id', 'orders.plain.combo_order_id', { kind: 'ids' }),
];

function ApprovalText({ approval }: { approval: OrderRow['approval'] }) {
  const { t } = useTranslation();
  return approval ? t(`orders.approval.${approval}`) : '–';
}

function StatusText({ source }: { source: string }) {
  const { t } = useTranslation();
  return <>{t(`source.${source as 'api'}`)}</>;
}

export const ORDERS: List<OrderRow> = {
  name: 'orders',
  title: 'orders.title',
  path: '/api/v1/admin/orders',
  columns: COLUMNS,
  searched: { 'user.id': 'orders.columns.userId' },
  plain: ['subscription_id', 'drip_feed_id', 'combo_order_id'],
  actions: ORDER_ACTIONS,
  open: (row) => `/orders/${row.id}`,
};

/** Orders that child panels placed. */
export const CHILD_PANEL_ORDERS: List<OrderRow> = {
  ...ORDERS,
  name: 'child-panels',
  title: 'orders.childPanels',
  path: '/api/v1/admin/child-panel-orders',
};
