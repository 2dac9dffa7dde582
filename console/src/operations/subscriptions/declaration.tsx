// The subscriptions list as data.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { subscriptions } from '@/api/lists/subscriptions';
import { count } from '@/i18n/format';
import type { Action } from '@/table/action';
import type { List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { listOf } from '@/table/listOf';
import { UrlCell } from '@/ui/cells';

type Row = Schemas['SubscriptionRow'];

export function BillingText({ type }: { type: Row['billing_type'] }) {
  const { t } = useTranslation();
  return <>{t(`billingType.${type}`)}</>;
}

export const cancelSubscription: Action<Row> = {
  name: 'cancelSubscription',
  icon: 'times-circle',
  tone: 'danger',
  allows: (row) => row.actions.cancelable,
  ...eachOf('POST', '/api/v1/admin/subscriptions/{id}/cancel'),
};

export const SUBSCRIPTIONS: List<Row> = listOf(subscriptions, {
  title: 'subscriptions.title',
  columns: {
    id: { width: 76, to: (row) => `/subscriptions/${row.id}` },
    name: 190,
    'user.name': 130,
    url: { width: 190, cell: (row) => <UrlCell url={row.url} /> },
    subscription_contents_count: 96,
    contents_limit: 84,
    orders_count: {
      width: 86,
      cell: (row) => <Link href={`/orders?type=subscription&id=${row.id}`}>{count(row.orders_count)}</Link>,
    },
    subscription_services: {
      width: 190,
      cell: (row) => row.subscription_services.map((one) => one.service.name).join(', ') || '–',
      sortable: false,
    },
    billing_type: 126,
    delay_minutes: 96,
    old_contents: 96,
    period_days: 96,
    cost: 108,
    returned: 108,
    type: 110,
  },
  actions: [cancelSubscription],
  open: (row) => `/subscriptions/${row.id}`,
});
