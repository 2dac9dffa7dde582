// The list of payments on the balances of customers, and the dialog for a manual payment.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { transactions } from '@/api/lists/transactions';
import { useHasPermission } from '@/session/hooks';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { ManualPaymentDialog } from './ManualPaymentDialog';
import { PaymentTypeText } from './PaymentTypeText';

type PaymentRow = Schemas['PaymentRow'];

/** The id of the staff member who created the payment, or "System" for an automatic payment. */
function PaymentActor({ id }: { id: PaymentRow['admin_id'] }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  if (!id) return <span className="none">{t('orders.systemActor')}</span>;
  return hasPermission('manage staff') ? <Link href={`/staff/${id}`}>{id}</Link> : id;
}

export const TRANSACTION_LIST: List<PaymentRow> = defineList(transactions, {
  title: 'payments.title',
  columns: {
    id: 100,
    'user.name': 190,
    type: (row) => <PaymentTypeText type={row.type} />,
    balance_type: 110,
    amount: 120,
    balance_after: { width: 120, sortable: false },
    'payment_method.name': 150,
    order_id: {
      width: 100,
      cell: (row) => (row.order_id ? <Link href={`/orders/${row.order_id}`}>{row.order_id}</Link> : '–'),
    },
    admin_id: { width: 100, cell: (row) => <PaymentActor id={row.admin_id} /> },
    comment: 220,
  },
});

export default function Transactions() {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const queryClient = useQueryClient();
  const [isCreatingPayment, setIsCreatingPayment] = useState(false);
  return (
    <>
      <ServerTable
        list={TRANSACTION_LIST}
        tools={
          hasPermission('manage finances') && (
            <Button
              variant="filled"
              icon="plus"
              label={t('payments.create')}
              onClick={() => setIsCreatingPayment(true)}
            />
          )
        }
      />
      {isCreatingPayment && (
        <ManualPaymentDialog
          onClose={() => setIsCreatingPayment(false)}
          onDone={() => void queryClient.invalidateQueries({ queryKey: [TRANSACTION_LIST.name] })}
        />
      )}
    </>
  );
}
