// Withdrawals: money that customers want back. Those that wait for a decision come first.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { money } from '@/i18n/format';
import type { Column, List } from '@/table/declare';
import { ServerTable } from '@/table/ServerTable';
import { UserLink } from '@/ui/cells';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import { WITHDRAWAL_ACTIONS } from './actions';

export type Row = Schemas['Withdrawal'];

const STATUSES = ['pending', 'approved', 'paid', 'rejected'] as const;
/** Others ask for money and decide at the same time. */
const EVERY_MS = 30_000;

const COLUMNS: readonly Column<Row>[] = [
  { name: 'id', label: 'withdrawals.columns.id', width: 84, filter: { kind: 'ids' }, cell: (row) => row.id },
  {
    name: 'created_at',
    label: 'withdrawals.columns.createdAt',
    width: 168,
    filter: { kind: 'time' },
    cell: (row) => <When at={row.created_at} />,
  },
  {
    name: 'status',
    label: 'withdrawals.columns.status',
    width: 126,
    filter: { kind: 'words', words: STATUSES, texts: 'status' },
    cell: (row) => <StatusTag status={row.status} />,
  },
  {
    name: 'amount',
    label: 'withdrawals.columns.amount',
    width: 112,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => money(row.amount),
  },
  {
    name: 'withdrawal_method.name',
    label: 'withdrawals.columns.method',
    width: 140,
    filter: { kind: 'text' },
    filterName: 'withdrawal_method',
    cell: (row) => row.withdrawal_method.name,
  },
  {
    name: 'account_number',
    label: 'withdrawals.columns.account',
    width: 220,
    filter: { kind: 'text' },
    cell: (row) => <span title={row.account_number}>{row.account_number}</span>,
  },
  {
    name: 'user.name',
    label: 'withdrawals.columns.user',
    width: 160,
    filter: { kind: 'text' },
    filterName: 'user',
    cell: (row) => <UserLink user={row.user} />,
  },
  {
    name: 'user_comment',
    label: 'withdrawals.columns.comment',
    width: 180,
    filter: { kind: 'text' },
    cell: (row) => <span title={row.user_comment ?? undefined}>{row.user_comment ?? '–'}</span>,
  },
  {
    name: 'transaction_id',
    label: 'withdrawals.columns.transaction',
    width: 150,
    filter: { kind: 'text' },
    cell: (row) => row.transaction_id ?? '–',
  },
  {
    name: 'admin_note',
    label: 'withdrawals.columns.note',
    width: 200,
    filter: { kind: 'text' },
    hidden: true,
    cell: (row) => <span title={row.admin_note ?? undefined}>{row.admin_note ?? '–'}</span>,
  },
  {
    name: 'balance_type',
    label: 'withdrawals.columns.balance',
    width: 110,
    filter: { kind: 'words', words: ['main', 'referral'], texts: 'balanceType' },
    hidden: true,
    cell: (row) => <BalanceText type={row.balance_type} />,
  },
  ...(['approved_at', 'paid_at', 'rejected_at'] as const).map(
    (name): Column<Row> => ({
      name,
      label: `withdrawals.columns.${name}`,
      width: 168,
      filter: { kind: 'time' },
      hidden: true,
      cell: (row) => <When at={row[name]} />,
    }),
  ),
];

function BalanceText({ type }: { type: Schemas['BalanceType'] }) {
  const { t } = useTranslation();
  return <>{t(`balanceType.${type}`)}</>;
}

export const WITHDRAWALS: List<Row> = {
  name: 'withdrawals',
  title: 'withdrawals.title',
  path: '/api/v1/admin/withdrawals',
  columns: COLUMNS,
  searched: { 'user.id': 'payments.userId' },
  defaults: { status: 'pending' },
  everyMs: EVERY_MS,
  actions: WITHDRAWAL_ACTIONS,
};

export default function Withdrawals() {
  return <ServerTable list={WITHDRAWALS} />;
}
