// Combo orders: packages of orders, moderated and completed as one.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { count, money } from '@/i18n/format';
import { SOURCES } from '@/operations/orders/declaration';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { UrlCell } from '@/ui/cells';

type Row = Schemas['ComboOrder'];
type Verb = 'approve' | 'reject' | 'complete';

const STATUSES = ['in_moderation', 'in_processing', 'completed', 'canceled'] as const;

const of = columnsOf<Row>('comboOrders');
const HIDDEN = { hidden: true } as const;

const COLUMNS: readonly Column<Row>[] = [
  of.id(76),
  of.time('created_at', 'createdAt'),
  of.status('status', 'status', STATUSES),
  of.named('package', 'package', 180),
  of.person('user', 'user', 140),
  of.text('url', 'url', 200, { cell: (row) => <UrlCell url={row.url} /> }),
  of.number('orders_count', 'orders', 90, {
    cell: (row) => <Link href={`/orders?type=combo_order&id=${row.id}`}>{count(row.orders_count)}</Link>,
  }),
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
    filter: { kind: 'words', words: ['auto', 'manual'], texts: 'packages.kinds' },
    cell: (row) => row.package.type,
  },
  of.time('completed_at', 'completedAt', HIDDEN),
  of.time('canceled_at', 'canceledAt', HIDDEN),
];

function Source({ source }: { source: Row['source'] }) {
  const { t } = useTranslation();
  return <>{t(`source.${source}`)}</>;
}

function action(verb: Verb, more: Pick<Action<Row>, 'name' | 'icon' | 'allows' | 'tone'>): Action<Row> {
  return {
    ...more,
    ...eachOf('POST', `/api/v1/admin/combo-orders/{id}/${verb}`),
  };
}

export const COMBO_ORDERS: List<Row> = {
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
