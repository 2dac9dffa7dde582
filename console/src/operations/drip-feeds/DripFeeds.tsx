// The list of drip-feeds. The customer pays a drip-feed in advance; then it places the same order several times.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { dripFeeds } from '@/api/lists/drip-feeds';
import { formatMinutes, formatMoney, formatNumber } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';
import { Countries, UrlCell } from '@/ui/cells';

type DripFeedRow = Schemas['DripFeed'];

function IntervalText({ minutes }: { minutes: number }) {
  const { i18n } = useTranslation();
  return <>{formatMinutes(minutes, localeOf(i18n.language).tag)}</>;
}

const cancelAction: Action<DripFeedRow> = {
  name: 'cancelDripFeed',
  icon: 'times-circle',
  tone: 'danger',
  allows: (row) => row.actions.cancelable,
  ...perRecordCalls('POST', '/api/v1/admin/drip-feeds/{id}/cancel'),
};

export const DRIP_FEEDS: List<DripFeedRow> = defineList(dripFeeds, {
  title: 'dripFeeds.title',
  columns: {
    id: 76,
    status: 126,
    'service.name': { width: 180, cell: (row) => <span title={row.name}>{row.service.name}</span> },
    'user.name': 130,
    url: { width: 190, cell: (row) => <UrlCell url={row.url} /> },
    orders_count: {
      width: 86,
      cell: (row) => <Link href={`/orders?type=drip_feed&id=${row.id}`}>{formatNumber(row.orders_count)}</Link>,
    },
    runs: 76,
    minutes_between_runs: { width: 100, cell: (row) => <IntervalText minutes={row.minutes_between_runs} /> },
    quantity: { width: 92, cell: (row) => row.quantity },
    total_quantity: { width: 92, cell: (row) => row.total_quantity },
    cost: 108,
    refund_amount: 108,
    returned: 108,
    price: { width: 140, cell: (row) => `${formatMoney(row.price)} / ${formatNumber(row.pricing_per)}` },
    countries: { width: 120, cell: (row) => <Countries codes={row.countries} /> },
    'promotable.average_viewers': {
      width: 100,
      cell: (row) => row.promotable.average_viewers ?? row.promotable.first_statistic_viewers ?? '–',
    },
    'promotable.region_restriction': 130,
  },
  defaultFilters: { status: 'in_processing' },
  actions: [cancelAction],
});

export default function DripFeeds() {
  return <ServerTable list={DRIP_FEEDS} />;
}
