// Withdrawals: money that customers want back. Those that wait for a decision come first.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { When } from '@/ui/When';
import { WITHDRAWAL_ACTIONS } from './actions';

export type Row = Schemas['Withdrawal'];

const STATUSES = ['pending', 'approved', 'paid', 'rejected'] as const;
/** Others ask for money and decide at the same time. */
const EVERY_MS = 30_000;

const c = columnsOf<Row>('withdrawals');
const COLUMNS: readonly Column<Row>[] = [
  c.id(84),
  c.time('created_at', 'createdAt'),
  c.status('status', 'status', STATUSES),
  c.money('amount', 'amount', 112),
  c.named('withdrawal_method', 'method', 140, { permission: 'view payment methods' }),
  c.text('account_number', 'account', 220),
  c.person('user', 'user', 160),
  c.text('user_comment', 'comment', 190),
  c.text('transaction_id', 'transaction', 140),
  c.text('admin_note', 'note', 220, { hidden: true }),
  {
    name: 'balance_type',
    label: 'withdrawals.columns.balance',
    width: 110,
    filter: { kind: 'words', words: ['main', 'referral'], texts: 'balanceType' },
    hidden: true,
    cell: (row) => <BalanceText type={row.balance_type} />,
  },
  { ...c.time('approved_at', 'approvedAt', { hidden: true }), cell: (row) => <Approved row={row} /> },
  c.time('paid_at', 'paidAt', { hidden: true }),
  c.time('rejected_at', 'rejectedAt', { hidden: true }),
];

function BalanceText({ type }: { type: Schemas['BalanceType'] }) {
  const { t } = useTranslation();
  return <>{t(`balanceType.${type}`)}</>;
}

/** When it was approved, and by whom: a colleague pays it. */
function Approved({ row }: { row: Row }) {
  const { t } = useTranslation();
  if (!row.approved_at) return '–';
  const by = row.approved_by && `${t('withdrawals.columns.approvedBy')} ${row.approved_by.name}`;
  return (
    <span title={by ?? undefined}>
      <When at={row.approved_at} />
      {row.approved_by && ` · ${row.approved_by.name}`}
    </span>
  );
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
