// The list of combo orders. A combo order is a purchased package. Staff approve, reject or complete all orders of a package
// together.
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { PackageType } from '@/api/enums';
import { comboOrders } from '@/api/lists/combo-orders';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { UrlCell } from '@/ui/cells';

type ComboOrderRow = Schemas['ComboOrder'];
type ComboOperation = 'approve' | 'reject' | 'complete';

function createComboAction(
  operation: ComboOperation,
  definition: Pick<Action<ComboOrderRow>, 'name' | 'icon' | 'isAllowedFor' | 'tone'>,
): Action<ComboOrderRow> {
  return {
    ...definition,
    ...createPerRecordRequests('POST', `/api/v1/admin/combo-orders/{id}/${operation}`),
  };
}

export const COMBO_ORDER_LIST: List<ComboOrderRow> = defineList(comboOrders, {
  title: 'comboOrders.title',
  columns: {
    id: 76,
    'package.name': 180,
    'user.name': 140,
    url: (row) => <UrlCell url={row.url} />,
    orders_count: (row) => <Link href={`/orders?type=combo_order&id=${row.id}`}>{formatNumber(row.orders_count)}</Link>,
    source: 150,
    'package.type': { width: 110, filter: { kind: 'enum', values: PackageType, textPrefix: 'packages.kinds' } },
  },
  actions: [
    createComboAction('approve', {
      name: 'approveCombo',
      icon: 'thumbs-up',
      isAllowedFor: (row) => row.actions.approvable,
    }),
    createComboAction('complete', {
      name: 'completeCombo',
      icon: 'check-circle',
      isAllowedFor: (row) => row.actions.completable,
    }),
    createComboAction('reject', {
      name: 'rejectCombo',
      icon: 'thumbs-down',
      tone: 'danger',
      isAllowedFor: (row) => row.actions.rejectable,
    }),
  ],
});

export default function ComboOrders() {
  return <ServerTable list={COMBO_ORDER_LIST} />;
}
