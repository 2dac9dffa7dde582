// All movements of money on customers' balances, and the manual payment.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { transactions } from '@/api/lists/transactions';
import { useMay } from '@/session/hooks';
import type { List } from '@/table/declare';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { ManualPayment } from './ManualPayment';
import { PaymentTypeText } from './PaymentTypeText';

type Row = Schemas['PaymentRow'];

/** Who booked it: a staff member, as a link for those who may follow it, or nobody but the panel itself. */
function Booker({ id }: { id: Row['admin_id'] }) {
  const { t } = useTranslation();
  const may = useMay();
  if (!id) return <span className="none">{t('orders.system')}</span>;
  return may('manage staff') ? <Link href={`/staff/${id}`}>{id}</Link> : id;
}

export const TRANSACTIONS: List<Row> = listOf(transactions, {
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
    admin_id: { width: 100, cell: (row) => <Booker id={row.admin_id} /> },
    comment: 220,
  },
});

export default function Transactions() {
  const { t } = useTranslation();
  const may = useMay();
  const queries = useQueryClient();
  const [paying, setPaying] = useState(false);
  return (
    <>
      <ServerTable
        list={TRANSACTIONS}
        tools={
          may('manage finances') && (
            <Button look="filled" icon="plus" label={t('payments.create')} onClick={() => setPaying(true)} />
          )
        }
      />
      {paying && (
        <ManualPayment
          onClose={() => setPaying(false)}
          onDone={() => void queries.invalidateQueries({ queryKey: [TRANSACTIONS.name] })}
        />
      )}
    </>
  );
}
