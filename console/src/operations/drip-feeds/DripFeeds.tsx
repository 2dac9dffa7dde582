// The list of drip-feeds. A drip-feed places the same order several times. The customer pays all of these orders in advance.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { dripFeeds } from '@/api/lists/drip-feeds';
import { formatMinutes, formatMoney, formatNumber } from '@/i18n/format';
import { getLocale } from '@/i18n/locales';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { CountryNames, UrlCell } from '@/ui/cells';

type DripFeedRow = Schemas['DripFeed'];

function IntervalText({ minutes }: { minutes: number }) {
  const { i18n } = useTranslation();
  return <>{formatMinutes(minutes, getLocale(i18n.language).tag)}</>;
}

const cancelAction: Action<DripFeedRow> = {
  name: 'cancelDripFeed',
  icon: 'times-circle',
  tone: 'danger',
  isAllowedFor: (row) => row.actions.cancelable,
  ...createPerRecordRequests('POST', '/api/v1/admin/drip-feeds/{id}/cancel'),
};

export const DRIP_FEED_LIST: List<DripFeedRow> = defineList(dripFeeds, {
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
    refunded: 108,
    price: { width: 140, cell: (row) => `${formatMoney(row.price)} / ${formatNumber(row.pricing_per)}` },
    countries: { width: 120, cell: (row) => <CountryNames codes={row.countries} /> },
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
  return <ServerTable list={DRIP_FEED_LIST} />;
}
