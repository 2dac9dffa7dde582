// The subscriptions list as data.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { count, money } from '@/i18n/format';
import { BATCH_STATUSES } from '@/operations/drip-feeds/DripFeeds';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { UrlCell, UserLink } from '@/ui/cells';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';

type Row = Schemas['SubscriptionRow'];

const BILLING_TYPES = ['prepaid', 'per_content', 'recurring'] as const;

export function BillingText({ type }: { type: Row['billing_type'] }) {
  const { t } = useTranslation();
  return <>{t(`billingType.${type}`)}</>;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'id',
    label: 'subscriptions.columns.id',
    width: 76,
    filter: { kind: 'ids' },
    cell: (row) => <Link href={`/subscriptions/${row.id}`}>{row.id}</Link>,
  },
  {
    name: 'created_at',
    label: 'subscriptions.columns.createdAt',
    width: 168,
    filter: { kind: 'time' },
    cell: (row) => <When at={row.created_at} />,
  },
  {
    name: 'status',
    label: 'subscriptions.columns.status',
    width: 126,
    filter: { kind: 'words', words: BATCH_STATUSES, texts: 'status' },
    cell: (row) => <StatusTag status={row.status} />,
  },
  {
    name: 'name',
    label: 'subscriptions.columns.name',
    width: 190,
    filter: { kind: 'text' },
    cell: (row) => row.name,
  },
  {
    name: 'user.name',
    label: 'subscriptions.columns.user',
    width: 130,
    filter: { kind: 'text' },
    filterName: 'user',
    cell: (row) => <UserLink user={row.user} />,
  },
  {
    name: 'url',
    label: 'subscriptions.columns.url',
    width: 190,
    filter: { kind: 'text' },
    cell: (row) => <UrlCell url={row.url} />,
  },
  {
    name: 'subscription_contents_count',
    label: 'subscriptions.columns.contents',
    width: 96,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => count(row.subscription_contents_count),
  },
  {
    name: 'contents_limit',
    label: 'subscriptions.columns.limit',
    width: 84,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => count(row.contents_limit),
  },
  {
    name: 'orders_count',
    label: 'subscriptions.columns.orders',
    width: 86,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => <Link href={`/orders?type=subscription&id=${row.id}`}>{count(row.orders_count)}</Link>,
  },
  {
    name: 'subscription_services',
    label: 'subscriptions.columns.services',
    width: 190,
    sortable: false,
    filter: { kind: 'text' },
    cell: (row) => row.subscription_services.map((one) => one.service.name).join(', ') || '–',
  },
  {
    name: 'billing_type',
    label: 'subscriptions.columns.billing',
    width: 126,
    filter: { kind: 'words', words: BILLING_TYPES, texts: 'billingType' },
    cell: (row) => <BillingText type={row.billing_type} />,
  },
  {
    name: 'expired_at',
    label: 'subscriptions.columns.expiredAt',
    width: 168,
    filter: { kind: 'time' },
    cell: (row) => <When at={row.expired_at} />,
  },
  {
    name: 'completed_at',
    label: 'subscriptions.columns.completedAt',
    width: 168,
    filter: { kind: 'time' },
    hidden: true,
    cell: (row) => <When at={row.completed_at} />,
  },
  {
    name: 'canceled_at',
    label: 'subscriptions.columns.canceledAt',
    width: 168,
    filter: { kind: 'time' },
    hidden: true,
    cell: (row) => <When at={row.canceled_at} />,
  },
  {
    name: 'cost',
    label: 'subscriptions.columns.cost',
    width: 108,
    align: 'end',
    filter: { kind: 'money' },
    hidden: true,
    cell: (row) => money(row.cost),
  },
  {
    name: 'returned',
    label: 'subscriptions.columns.returned',
    width: 108,
    align: 'end',
    filter: { kind: 'money' },
    hidden: true,
    cell: (row) => money(row.returned),
  },
  {
    name: 'type',
    label: 'subscriptions.columns.type',
    width: 110,
    hidden: true,
    cell: (row) => row.type,
  },
];

export const cancelSubscription: Action<Row> = {
  name: 'cancelSubscription',
  icon: 'times-circle',
  tone: 'danger',
  allows: (row) => row.actions.cancelable,
  ...eachOf<Row>(
    (id, init, query) =>
      told(api.POST('/api/v1/admin/subscriptions/{id}/cancel', { params: { path: { id }, query }, ...init })),
    { rehearses: true },
  ),
};

export const SUBSCRIPTIONS: List<Row> = {
  name: 'subscriptions',
  title: 'subscriptions.title',
  path: '/api/v1/admin/subscriptions',
  columns: COLUMNS,
  actions: [cancelSubscription],
  open: (row) => `/subscriptions/${row.id}`,
};
