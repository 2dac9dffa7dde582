// Combo orders: packages of orders, moderated and completed as one.
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { comboOrders } from '@/api/lists/combo-orders';
import { PackageType } from '@/api/words';
import { count } from '@/i18n/format';
import type { Action } from '@/table/action';
import type { List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { UrlCell } from '@/ui/cells';

type Row = Schemas['ComboOrder'];
type Verb = 'approve' | 'reject' | 'complete';

function action(verb: Verb, more: Pick<Action<Row>, 'name' | 'icon' | 'allows' | 'tone'>): Action<Row> {
  return {
    ...more,
    ...eachOf('POST', `/api/v1/admin/combo-orders/{id}/${verb}`),
  };
}

export const COMBO_ORDERS: List<Row> = listOf(comboOrders, {
  title: 'comboOrders.title',
  columns: {
    id: 76,
    'package.name': 180,
    'user.name': 140,
    url: (row) => <UrlCell url={row.url} />,
    orders_count: (row) => <Link href={`/orders?type=combo_order&id=${row.id}`}>{count(row.orders_count)}</Link>,
    source: 150,
    'package.type': { width: 110, filter: { kind: 'words', words: PackageType, texts: 'packages.kinds' } },
  },
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
});

export default function ComboOrders() {
  return <ServerTable list={COMBO_ORDERS} />;
}
