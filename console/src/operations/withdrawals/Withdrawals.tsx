// Withdrawals: money that customers want back. Those that wait for a decision come first.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { withdrawals } from '@/api/lists/withdrawals';
import { BalanceType } from '@/api/words';
import type { List } from '@/table/declare';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { When } from '@/ui/When';
import { WITHDRAWAL_ACTIONS } from './actions';

export type Row = Schemas['Withdrawal'];

/** Others ask for money and decide at the same time. */
const EVERY_MS = 30_000;

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

export const WITHDRAWALS: List<Row> = listOf(withdrawals, {
  title: 'withdrawals.title',
  columns: {
    id: 84,
    amount: 112,
    'withdrawal_method.name': 140,
    account_number: 220,
    'user.name': 160,
    user_comment: 190,
    transaction_id: 140,
    admin_note: 220,
    // Customers cannot withdraw what quests gave them.
    balance_type: {
      width: 110,
      filter: { kind: 'words', words: BalanceType.filter((word) => word !== 'task'), texts: 'balanceType' },
    },
    approved_at: (row) => <Approved row={row} />,
  },
  defaults: { status: 'pending' },
  everyMs: EVERY_MS,
  actions: WITHDRAWAL_ACTIONS,
});

export default function Withdrawals() {
  return <ServerTable list={WITHDRAWALS} />;
}
