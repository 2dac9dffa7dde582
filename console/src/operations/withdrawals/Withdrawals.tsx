// The list of withdrawals: requests of customers to be paid out. Requests that wait for a decision come first.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { withdrawals } from '@/api/lists/withdrawals';
import { BalanceType } from '@/api/words';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { DateTime } from '@/ui/DateTime';
import { WITHDRAWAL_ACTIONS } from './actions';

type WithdrawalRow = Schemas['Withdrawal'];

/** Customers request withdrawals and other staff members decide while the list is open. */
const REFETCH_INTERVAL_MS = 30_000;

/** The time and the approver of the approval. The approver may not mark the withdrawal as paid: another staff member does. */
function ApprovalCell({ row }: { row: WithdrawalRow }) {
  const { t } = useTranslation();
  if (!row.approved_at) return '–';
  const approver = row.approved_by && `${t('withdrawals.columns.approvedBy')} ${row.approved_by.name}`;
  return (
    <span title={approver ?? undefined}>
      <DateTime at={row.approved_at} />
      {row.approved_by && ` · ${row.approved_by.name}`}
    </span>
  );
}

export const WITHDRAWALS: List<WithdrawalRow> = defineList(withdrawals, {
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
    // Customers cannot withdraw the balance that they earned with quests.
    balance_type: {
      width: 110,
      filter: { kind: 'words', words: BalanceType.filter((word) => word !== 'task'), texts: 'balanceType' },
    },
    approved_at: (row) => <ApprovalCell row={row} />,
  },
  defaults: { status: 'pending' },
  refetchIntervalMs: REFETCH_INTERVAL_MS,
  actions: WITHDRAWAL_ACTIONS,
});

export default function Withdrawals() {
  return <ServerTable list={WITHDRAWALS} />;
}
