// The subscriptions list as data.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { count } from '@/i18n/format';
import { BATCH_STATUSES } from '@/operations/drip-feeds/DripFeeds';
import type { Action } from '@/table/action';
import { type Column, filterOnly, type List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { UrlCell } from '@/ui/cells';

type Row = Schemas['SubscriptionRow'];

const BILLING_TYPES = ['prepaid', 'per_content', 'recurring'] as const;

export function BillingText({ type }: { type: Row['billing_type'] }) {
  const { t } = useTranslation();
  return <>{t(`billingType.${type}`)}</>;
}

const of = columnsOf<Row>('subscriptions');
const HIDDEN = { hidden: true } as const;

const COLUMNS: readonly Column<Row>[] = [
  of.id(76, (row) => `/subscriptions/${row.id}`),
  of.time('created_at', 'createdAt'),
  of.status('status', 'status', BATCH_STATUSES),
  of.text('name', 'name', 190),
  of.person('user', 'user', 130),
  of.text('url', 'url', 190, { cell: (row) => <UrlCell url={row.url} /> }),
  of.number('subscription_contents_count', 'contents', 96),
  of.number('contents_limit', 'limit', 84),
  of.number('orders_count', 'orders', 86, {
    cell: (row) => <Link href={`/orders?type=subscription&id=${row.id}`}>{count(row.orders_count)}</Link>,
  }),
  {
    name: 'subscription_services',
    label: 'subscriptions.columns.services',
    width: 190,
    sortable: false,
    filter: { kind: 'record', of: 'service' },
    cell: (row) => row.subscription_services.map((one) => one.service.name).join(', ') || '–',
  },
  {
    name: 'billing_type',
    label: 'subscriptions.columns.billing',
    width: 126,
    filter: { kind: 'words', words: BILLING_TYPES, texts: 'billingType' },
    cell: (row) => <BillingText type={row.billing_type} />,
  },
  of.time('looked_at', 'lookedAt', HIDDEN),
  filterOnly('look_at', 'subscriptions.columns.lookAt', { kind: 'time' }),
  of.text('last_error', 'trouble', 200, HIDDEN),
  of.text('wait_reason', 'waits', 200, HIDDEN),
  of.number('delay_minutes', 'delay', 96, HIDDEN),
  of.number('old_contents', 'old', 96, HIDDEN),
  of.time('renews_at', 'renewsAt', HIDDEN),
  of.time('paused_at', 'pausedAt', HIDDEN),
  of.number('period_days', 'period', 96, HIDDEN),
  of.time('expired_at', 'expiredAt'),
  of.time('completed_at', 'completedAt', HIDDEN),
  of.time('canceled_at', 'canceledAt', HIDDEN),
  of.money('cost', 'cost', 108, HIDDEN),
  of.money('returned', 'returned', 108, HIDDEN),
  of.text('type', 'type', 110, HIDDEN),
];

export const cancelSubscription: Action<Row> = {
  name: 'cancelSubscription',
  icon: 'times-circle',
  tone: 'danger',
  allows: (row) => row.actions.cancelable,
  ...eachOf('POST', '/api/v1/admin/subscriptions/{id}/cancel'),
};

export const SUBSCRIPTIONS: List<Row> = {
  name: 'subscriptions',
  title: 'subscriptions.title',
  path: '/api/v1/admin/subscriptions',
  columns: COLUMNS,
  actions: [cancelSubscription],
  open: (row) => `/subscriptions/${row.id}`,
};
