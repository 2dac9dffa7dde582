// All movements of money on customers' balances, and the manual payment.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { ManualPayment } from './ManualPayment';
import { PaymentTypeText } from './PaymentTypeText';

type Row = Schemas['PaymentRow'];

const TYPES = ['deposit', 'order', 'refund', 'bonus', 'manual', 'withdrawal', 'referral', 'task'] as const;

const BALANCES = ['main', 'task', 'referral'] as const satisfies readonly Row['balance_type'][];

const c = columnsOf<Row>('payments');
const COLUMNS: readonly Column<Row>[] = [
  c.id(100),
  c.time('created_at', 'createdAt'),
  c.person('user', 'user', 190),
  {
    name: 'type',
    label: 'payments.columns.type',
    width: 130,
    filter: { kind: 'words', words: TYPES, texts: 'paymentType' },
    cell: (row) => <PaymentTypeText type={row.type} />,
  },
  c.status('transaction_type', 'transactionType', ['income', 'outcome']),
  {
    name: 'balance_type',
    label: 'orders.balance',
    width: 110,
    filter: { kind: 'words', words: BALANCES, texts: 'balanceType' },
    cell: (row) => <BalanceText type={row.balance_type} />,
  },
  c.money('amount', 'amount', 120),
  {
    name: 'balance_after',
    label: 'payments.columns.balanceAfter',
    width: 120,
    align: 'end',
    sortable: false,
    filter: { kind: 'money' },
    cell: (row) => money(row.balance_after),
  },
  c.named('payment_method', 'method', 150, { permission: 'view payment methods' }),
  {
    name: 'order_id',
    label: 'payments.columns.order',
    width: 100,
    filter: { kind: 'ids' },
    cell: (row) => (row.order_id ? <Link href={`/orders/${row.order_id}`}>{row.order_id}</Link> : '–'),
  },
  {
    name: 'admin_id',
    label: 'payments.columns.admin',
    width: 100,
    filter: { kind: 'ids' },
    cell: (row) => <Booker id={row.admin_id} />,
  },
  c.text('comment', 'comment', 220, { hidden: true }),
];

function BalanceText({ type }: { type: Row['balance_type'] }) {
  const { t } = useTranslation();
  return <>{t(`balanceType.${type}`)}</>;
}

/** Who booked it: a staff member, as a link for those who may follow it, or nobody but the panel itself. */
function Booker({ id }: { id: Row['admin_id'] }) {
  const { t } = useTranslation();
  const may = useMay();
  if (!id) return <span className="none">{t('orders.system')}</span>;
  return may('manage staff') ? <Link href={`/staff/${id}`}>{id}</Link> : id;
}

export const TRANSACTIONS: List<Row> = {
  name: 'transactions',
  title: 'payments.title',
  path: '/api/v1/admin/transactions',
  columns: COLUMNS,
  searched: { 'user.id': 'payments.userId' },
};

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
