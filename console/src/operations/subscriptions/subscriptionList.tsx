// The declaration of the list of subscriptions.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { subscriptions } from '@/api/lists/subscriptions';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { UrlCell } from '@/ui/cells';

type SubscriptionRow = Schemas['SubscriptionRow'];

export function BillingTypeText({ type }: { type: SubscriptionRow['billing_type'] }) {
  const { t } = useTranslation();
  return <>{t(`billingType.${type}`)}</>;
}

export const cancelSubscriptionAction: Action<SubscriptionRow> = {
  name: 'cancelSubscription',
  icon: 'times-circle',
  tone: 'danger',
  isAllowedFor: (row) => row.actions.cancelable,
  ...createPerRecordRequests('POST', '/api/v1/admin/subscriptions/{id}/cancel'),
};

export const SUBSCRIPTION_LIST: List<SubscriptionRow> = defineList(subscriptions, {
  title: 'subscriptions.title',
  columns: {
    id: { width: 76, linkTo: (row) => `/subscriptions/${row.id}` },
    name: 190,
    'user.name': 130,
    url: { width: 190, cell: (row) => <UrlCell url={row.url} /> },
    subscription_contents_count: 96,
    contents_limit: 84,
    orders_count: {
      width: 86,
      cell: (row) => <Link href={`/orders?type=subscription&id=${row.id}`}>{formatNumber(row.orders_count)}</Link>,
    },
    subscription_services: {
      width: 190,
      cell: (row) => row.subscription_services.map(({ service }) => service.name).join(', ') || '–',
      sortable: false,
    },
    billing_type: 126,
    delay_minutes: 96,
    old_contents: 96,
    period_days: 96,
    cost: 108,
    refunded: 108,
    type: 110,
  },
  actions: [cancelSubscriptionAction],
  getRecordUrl: (row) => `/subscriptions/${row.id}`,
});
