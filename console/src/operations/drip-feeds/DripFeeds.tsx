// Drip-feeds: what places the same order again and again, paid ahead.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { count, interval, money } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { ServerTable } from '@/table/ServerTable';
import { UrlCell, UserLink } from '@/ui/cells';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';

type Row = Schemas['DripFeed'];

const BATCH_STATUSES = ['in_processing', 'completed', 'canceled'] as const;

const COLUMNS: readonly Column<Row>[] = [
  { name: 'id', label: 'dripFeeds.columns.id', width: 76, filter: { kind: 'ids' }, cell: (row) => row.id },
  {
    name: 'created_at',
    label: 'dripFeeds.columns.createdAt',
    width: 168,
    filter: { kind: 'time' },
    cell: (row) => <When at={row.created_at} />,
  },
  {
    name: 'status',
    label: 'dripFeeds.columns.status',
    width: 126,
    filter: { kind: 'words', words: BATCH_STATUSES, texts: 'status' },
    cell: (row) => <StatusTag status={row.status} />,
  },
  {
    name: 'service.name',
    label: 'dripFeeds.columns.service',
    width: 180,
    filter: { kind: 'text' },
    filterName: 'service',
    cell: (row) => <span title={row.name}>{row.service.name}</span>,
  },
  {
    name: 'user.name',
    label: 'dripFeeds.columns.user',
    width: 130,
    filter: { kind: 'text' },
    filterName: 'user',
    cell: (row) => <UserLink user={row.user} />,
  },
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
  {
    name: 'runs',
    label: 'dripFeeds.columns.runs',
    width: 76,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => count(row.runs),
  },
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
  {
    name: 'cost',
    label: 'dripFeeds.columns.cost',
    width: 108,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => money(row.cost),
  },
  {
    name: 'next_run_at',
    label: 'dripFeeds.columns.nextRun',
    width: 168,
    filter: { kind: 'time' },
    cell: (row) => <When at={row.next_run_at} />,
  },
  {
    name: 'last_error',
    label: 'dripFeeds.columns.problem',
    width: 200,
    filter: { kind: 'text' },
    hidden: true,
    cell: (row) => row.last_error ?? '–',
  },
  {
    name: 'refund_amount',
    label: 'dripFeeds.columns.refund',
    width: 108,
    align: 'end',
    sortable: false,
    hidden: true,
    cell: (row) => money(row.refund_amount),
  },
  {
    name: 'returned',
    label: 'dripFeeds.columns.returned',
    width: 108,
    align: 'end',
    filter: { kind: 'money' },
    hidden: true,
    cell: (row) => money(row.returned),
  },
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
    cell: (row) => row.countries.join(', ') || '–',
  },
  {
    name: 'completed_at',
    label: 'dripFeeds.columns.completedAt',
    width: 168,
    filter: { kind: 'time' },
    hidden: true,
    cell: (row) => <When at={row.completed_at} />,
  },
  {
    name: 'canceled_at',
    label: 'dripFeeds.columns.canceledAt',
    width: 168,
    filter: { kind: 'time' },
    hidden: true,
    cell: (row) => <When at={row.canceled_at} />,
  },
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
  ...eachOf<Row>(
    (id, init, query) =>
      told(api.POST('/api/v1/admin/drip-feeds/{id}/cancel', { params: { path: { id }, query }, ...init })),
    { rehearses: true },
  ),
};

const DRIP_FEEDS: List<Row> = {
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
