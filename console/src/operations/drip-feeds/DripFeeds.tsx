// Drip-feeds: what places the same order again and again, paid ahead.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { count, interval, money } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Countries, UrlCell } from '@/ui/cells';

type Row = Schemas['DripFeed'];

export const BATCH_STATUSES = ['in_processing', 'completed', 'canceled'] as const;

const c = columnsOf<Row>('dripFeeds');
const COLUMNS: readonly Column<Row>[] = [
  c.id(76),
  c.time('created_at', 'createdAt'),
  c.status('status', 'status', BATCH_STATUSES, { width: 126 }),
  {
    name: 'service.name',
    label: 'dripFeeds.columns.service',
    width: 180,
    filter: { kind: 'record', of: 'service' },
    filterName: 'service',
    cell: (row) => <span title={row.name}>{row.service.name}</span>,
  },
  c.text('name', 'name', 200, { hidden: true, label: 'orders.columns.name' }),
  c.person('user', 'user', 130),
  {
    name: 'url',
    label: 'dripFeeds.columns.url',
    width: 190,
    filter: { kind: 'text' },
    cell: (row) => <UrlCell url={row.url} />,
  },
  {
    name: 'orders_count',
    label: 'dripFeeds.columns.orders',
    width: 86,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => <Link href={`/orders?type=drip_feed&id=${row.id}`}>{count(row.orders_count)}</Link>,
  },
  c.number('runs', 'runs', 76),
  {
    name: 'minutes_between_runs',
    label: 'dripFeeds.columns.every',
    width: 100,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => <Every minutes={row.minutes_between_runs} />,
  },
  {
    name: 'quantity',
    label: 'dripFeeds.columns.quantity',
    width: 92,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => row.quantity,
  },
  {
    name: 'total_quantity',
    label: 'dripFeeds.columns.totalQuantity',
    width: 92,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => row.total_quantity,
  },
  c.money('cost', 'cost', 108),
  c.time('next_run_at', 'nextRun'),
  c.text('last_error', 'problem', 200, { hidden: true }),
  {
    name: 'refund_amount',
    label: 'dripFeeds.columns.refund',
    width: 108,
    align: 'end',
    sortable: false,
    hidden: true,
    cell: (row) => money(row.refund_amount),
  },
  c.money('returned', 'returned', 108, { hidden: true }),
  {
    name: 'price',
    label: 'dripFeeds.columns.price',
    width: 140,
    align: 'end',
    filter: { kind: 'money' },
    hidden: true,
    cell: (row) => `${money(row.price)} / ${count(row.pricing_per)}`,
  },
  {
    name: 'countries',
    label: 'dripFeeds.columns.countries',
    width: 120,
    sortable: false,
    hidden: true,
    cell: (row) => <Countries codes={row.countries} />,
  },
  {
    name: 'promotable.average_viewers',
    label: 'dripFeeds.columns.viewers',
    width: 100,
    align: 'end',
    sortable: false,
    hidden: true,
    cell: (row) => row.promotable.average_viewers ?? row.promotable.first_statistic_viewers ?? '–',
  },
  {
    name: 'promotable.region_restriction',
    label: 'dripFeeds.columns.region',
    width: 130,
    sortable: false,
    hidden: true,
    cell: (row) => row.promotable.region_restriction ?? '–',
  },
  c.time('completed_at', 'completedAt', { hidden: true }),
  c.time('canceled_at', 'canceledAt', { hidden: true }),
];

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

export const DRIP_FEEDS: List<Row> = {
  name: 'drip-feeds',
  title: 'dripFeeds.title',
  path: '/api/v1/admin/drip-feeds',
  columns: COLUMNS,
  defaults: { status: 'in_processing' },
  actions: [cancel],
};

export default function DripFeeds() {
  return <ServerTable list={DRIP_FEEDS} />;
}
