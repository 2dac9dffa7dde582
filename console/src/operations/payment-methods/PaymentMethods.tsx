// The list of payment methods, and the dialog that sorts them. Customers see the payment methods in the same order.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { paymentMethods } from '@/api/lists/payment-methods';
import { fetchRows } from '@/api/table';
import { SortDialog } from '@/form/SortDialog';
import { useSubmit } from '@/form/useSubmit';
import { useHasPermission } from '@/session/hooks';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { toast } from '@/ui/toasts';
import { METHOD_ACTIONS } from './actions';
import { MethodForm } from './MethodForm';

type PaymentMethod = Schemas['PaymentMethod'];

const PAYMENT_METHOD_LIST: List<PaymentMethod> = defineList(paymentMethods, {
  title: 'methods.title',
  columns: {
    sorting: 80,
    id: { linkTo: (row) => `/payment-methods/${row.id}` },
    name: {
      width: 240,
      cell: (row) => (
        <Link className="with-icon" href={`/payment-methods/${row.id}`}>
          {row.icon && <img src={row.icon} alt="" />}
          {row.name}
        </Link>
      ),
    },
    type: 120,
    fee_fraction: 90,
    charge_currency: 110,
    is_allowed_for_new_user: 120,
  },
  extraColumns: [
    {
      name: 'bonuses',
      label: 'methods.columns.bonuses',
      width: 100,
      align: 'end',
      sortable: false,
      cell: (row) => (
        <Link href={`/payment-method-bonuses/${row.id}`}>
          {row.payment_method_bonuses.filter((bonus) => bonus.is_enabled).length}
        </Link>
      ),
    },
  ],
  actions: METHOD_ACTIONS,
  getRecordUrl: (row) => `/payment-methods/${row.id}`,
});

export default function PaymentMethods() {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const queryClient = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  // The payment methods in the sort dialog; null if the dialog is closed.
  const [methodsToSort, setMethodsToSort] = useState<readonly PaymentMethod[] | null>(null);
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['payment-methods'] });
  const { submit: openSortDialog, isPending } = useSubmit({
    send: () => fetchRows(paymentMethods, -1),
    onDone: setMethodsToSort,
    showProblemAs: 'toast',
  });
  const tools = hasPermission('manage payment methods') && (
    <>
      <Button icon="sort-alt" label={t('methods.changeOrder')} busy={isPending} onClick={() => void openSortDialog()} />
      <Button icon="plus" label={t('methods.add')} onClick={() => setIsAdding(true)} />
    </>
  );
  return (
    <>
      <ServerTable list={PAYMENT_METHOD_LIST} tools={tools} />
      {isAdding && <MethodForm method={null} onClose={() => setIsAdding(false)} onChanged={refresh} />}
      {methodsToSort && (
        <SortDialog
          title={t('methods.changeOrder')}
          items={methodsToSort}
          onClose={() => setMethodsToSort(null)}
          onSave={async (ids) => {
            await unwrap(api.POST('/api/v1/admin/payment-methods/sort', { body: { payment_methods: ids } }));
            toast({ tone: 'success', text: t('ui.saved') });
            refresh();
          }}
        />
      )}
    </>
  );
}
