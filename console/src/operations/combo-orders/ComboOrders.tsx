// The list of combo orders. A combo order is a purchased package whose orders are moderated and completed together.
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { comboOrders } from '@/api/lists/combo-orders';
import { PackageType } from '@/api/words';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';
import { UrlCell } from '@/ui/cells';

type ComboOrderRow = Schemas['ComboOrder'];
type Verb = 'approve' | 'reject' | 'complete';

function comboAction(
  verb: Verb,
  more: Pick<Action<ComboOrderRow>, 'name' | 'icon' | 'allows' | 'tone'>,
): Action<ComboOrderRow> {
  return {
    ...more,
    ...perRecordCalls('POST', `/api/v1/admin/combo-orders/{id}/${verb}`),
  };
}

export const COMBO_ORDERS: List<ComboOrderRow> = defineList(comboOrders, {
  title: 'comboOrders.title',
  columns: {
    id: 76,
    'package.name': 180,
    'user.name': 140,
    url: (row) => <UrlCell url={row.url} />,
    orders_count: (row) => <Link href={`/orders?type=combo_order&id=${row.id}`}>{formatNumber(row.orders_count)}</Link>,
    source: 150,
    'package.type': { width: 110, filter: { kind: 'words', words: PackageType, texts: 'packages.kinds' } },
  },
  actions: [
    comboAction('approve', { name: 'approveCombo', icon: 'thumbs-up', allows: (row) => row.actions.approvable }),
    comboAction('complete', { name: 'completeCombo', icon: 'check-circle', allows: (row) => row.actions.completable }),
    comboAction('reject', {
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
