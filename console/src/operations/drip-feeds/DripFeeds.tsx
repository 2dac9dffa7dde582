// Drip-feeds: what places the same order again and again, paid ahead.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { dripFeeds } from '@/api/lists/drip-feeds';
import { count, interval, money } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import type { Action } from '@/table/action';
import type { List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Countries, UrlCell } from '@/ui/cells';

type Row = Schemas['DripFeed'];

function Every({ minutes }: { minutes: number }) {
  const { i18n } = useTranslation();
  return <>{interval(minutes, localeOf(i18n.language).tag)}</>;
}

const cancel: Action<Row> = {
  name: 'cancelDripFeed',
  icon: 'times-circle',
  tone: 'danger',
  allows: (row) => row.actions.cancelable,
  ...eachOf('POST', '/api/v1/admin/drip-feeds/{id}/cancel'),
};

export const DRIP_FEEDS: List<Row> = listOf(dripFeeds, {
  title: 'dripFeeds.title',
  columns: {
    id: 76,
    status: 126,
    'service.name': { width: 180, cell: (row) => <span title={row.name}>{row.service.name}</span> },
    'user.name': 130,
    url: { width: 190, cell: (row) => <UrlCell url={row.url} /> },
    orders_count: {
      width: 86,
      cell: (row) => <Link href={`/orders?type=drip_feed&id=${row.id}`}>{count(row.orders_count)}</Link>,
    },
    runs: 76,
    minutes_between_runs: { width: 100, cell: (row) => <Every minutes={row.minutes_between_runs} /> },
    quantity: { width: 92, cell: (row) => row.quantity },
    total_quantity: { width: 92, cell: (row) => row.total_quantity },
    cost: 108,
    refund_amount: 108,
    returned: 108,
    price: { width: 140, cell: (row) => `${money(row.price)} / ${count(row.pricing_per)}` },
    countries: { width: 120, cell: (row) => <Countries codes={row.countries} /> },
    'promotable.average_viewers': {
      width: 100,
      cell: (row) => row.promotable.average_viewers ?? row.promotable.first_statistic_viewers ?? '–',
    },
    'promotable.region_restriction': 130,
  },
  defaults: { status: 'in_processing' },
  actions: [cancel],
});

export default function DripFeeds() {
  return <ServerTable list={DRIP_FEEDS} />;
}
