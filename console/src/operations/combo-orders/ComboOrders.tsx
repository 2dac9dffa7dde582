// Combo orders: packages of orders, moderated and completed as one.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { count, money } from '@/i18n/format';
import { SOURCES } from '@/operations/orders/declaration';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { ServerTable } from '@/table/ServerTable';
import { UrlCell, UserLink } from '@/ui/cells';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';

type Row = Schemas['ComboOrder'];
type Verb = 'approve' | 'reject' | 'complete';

const STATUSES = ['in_moderation', 'in_processing', 'completed', 'canceled'] as const;

const COLUMNS: readonly Column<Row>[] = [
  { name: 'id', label: 'comboOrders.columns.id', width: 76, filter: { kind: 'ids' }, cell: (row) => row.id },
  {
    name: 'created_at',
    label: 'comboOrders.columns.createdAt',
    width: 168,
    filter: { kind: 'time' },
    cell: (row) => <When at={row.created_at} />,
  },
  {
    name: 'status',
    label: 'comboOrders.columns.status',
    width: 132,
    filter: { kind: 'words', words: STATUSES, texts: 'status' },
    cell: (row) => <StatusTag status={row.status} />,
  },
  {
    name: 'package.name',
    label: 'comboOrders.columns.package',
    width: 180,
    filter: { kind: 'text' },
    filterName: 'package',
    cell: (row) => row.package.name,
  },
  {
    name: 'user.name',
    label: 'comboOrders.columns.user',
    width: 140,
    filter: { kind: 'text' },
    filterName: 'user',
    cell: (row) => <UserLink user={row.user} />,
  },
  {
    name: 'url',
    label: 'comboOrders.columns.url',
    width: 200,
    filter: { kind: 'text' },
    cell: (row) => <UrlCell url={row.url} />,
  },
  {
    name: 'orders_count',
    label: 'comboOrders.columns.orders',
    width: 90,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => <Link href={`/orders?type=combo_order&id=${row.id}`}>{count(row.orders_count)}</Link>,
  },
  {
    name: 'cost',
    label: 'comboOrders.columns.cost',
    width: 110,
    align: 'end',
    sortable: false,
    cell: (row) => money(row.cost),
  },
  {
    name: 'returned',
    label: 'comboOrders.columns.returned',
    width: 110,
    align: 'end',
    sortable: false,
    hidden: true,
    cell: (row) => money(row.returned),
  },
  {
    name: 'source',
    label: 'comboOrders.columns.source',
    width: 150,
    filter: { kind: 'words', words: SOURCES, texts: 'source' },
    cell: (row) => <Source source={row.source} />,
  },
  {
    name: 'package.type',
    label: 'comboOrders.columns.type',
    width: 110,
    hidden: true,
    cell: (row) => row.package.type,
  },
  {
    name: 'completed_at',
    label: 'comboOrders.columns.completedAt',
    width: 168,
    filter: { kind: 'time' },
    hidden: true,
    cell: (row) => <When at={row.completed_at} />,
  },
  {
    name: 'canceled_at',
    label: 'comboOrders.columns.canceledAt',
    width: 168,
    filter: { kind: 'time' },
    hidden: true,
    cell: (row) => <When at={row.canceled_at} />,
  },
];

function Source({ source }: { source: Row['source'] }) {
  const { t } = useTranslation();
  return <>{t(`source.${source}`)}</>;
}

function action(verb: Verb, more: Pick<Action<Row>, 'name' | 'icon' | 'allows' | 'tone'>): Action<Row> {
  return {
    ...more,
    ...eachOf<Row>(
      (id, init, query) =>
        told(api.POST(`/api/v1/admin/combo-orders/{id}/${verb}`, { params: { path: { id }, query }, ...init })),
      { rehearses: true },
    ),
  };
}

const COMBO_ORDERS: List<Row> = {
  name: 'combo-orders',
  title: 'comboOrders.title',
  path: '/api/v1/admin/combo-orders',
  columns: COLUMNS,
  actions: [
    action('approve', { name: 'approveCombo', icon: 'thumbs-up', allows: (row) => row.actions.approvable }),
    action('complete', { name: 'completeCombo', icon: 'check-circle', allows: (row) => row.actions.completable }),
    action('reject', {
      name: 'rejectCombo',
      icon: 'thumbs-down',
      tone: 'danger',
      allows: (row) => row.actions.rejectable,
    }),
  ],
};

export default function ComboOrders() {
  return <ServerTable list={COMBO_ORDERS} />;
}
