// All movements of money on customers' balances, and the manual payment.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import type { Column, List } from '@/table/declare';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { UserLink } from '@/ui/cells';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import { ManualPayment } from './ManualPayment';
import { PaymentTypeText } from './PaymentTypeText';

type Row = Schemas['PaymentRow'];

const TYPES = ['deposit', 'order', 'refund', 'bonus', 'manual', 'withdrawal', 'referral', 'task'] as const;

const COLUMNS: readonly Column<Row>[] = [
  { name: 'id', label: 'payments.columns.id', width: 100, filter: { kind: 'ids' }, cell: (row) => row.id },
  {
    name: 'created_at',
    label: 'payments.columns.createdAt',
    width: 168,
    filter: { kind: 'time' },
    cell: (row) => <When at={row.created_at} />,
  },
  {
    name: 'user.name',
    label: 'payments.columns.user',
    width: 190,
    filter: { kind: 'text' },
    filterName: 'user',
    cell: (row) => <UserLink user={row.user} />,
  },
  {
    name: 'type',
    label: 'payments.columns.type',
    width: 130,
    filter: { kind: 'words', words: TYPES, texts: 'paymentType' },
    cell: (row) => <PaymentTypeText type={row.type} />,
  },
  {
    name: 'transaction_type',
    label: 'payments.columns.transactionType',
    width: 130,
    filter: { kind: 'words', words: ['income', 'outcome'], texts: 'status' },
    cell: (row) => <StatusTag status={row.transaction_type} />,
  },
  {
    name: 'amount',
    label: 'payments.columns.amount',
    width: 120,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => money(row.amount),
  },
  {
    name: 'balance_after',
    label: 'payments.columns.balanceAfter',
    width: 120,
    align: 'end',
    sortable: false,
    cell: (row) => money(row.balance_after),
  },
  {
    name: 'payment_method.name',
    label: 'payments.columns.method',
    width: 150,
    filter: { kind: 'text' },
    filterName: 'payment_method',
    cell: (row) => row.payment_method?.name ?? '–',
  },
  {
    name: 'order_id',
    label: 'payments.columns.order',
    width: 100,
    filter: { kind: 'ids' },
    cell: (row) => (row.order_id ? <Link href={`/orders/${row.order_id}`}>{row.order_id}</Link> : '–'),
  },
  {
    name: 'comment',
    label: 'payments.columns.comment',
    width: 220,
    filter: { kind: 'text' },
    hidden: true,
    cell: (row) => row.comment ?? '–',
  },
];

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
