// The list of withdrawals: the requests of customers for a payout. Requests that wait for a decision come first.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { BalanceType } from '@/api/enums';
import { withdrawals } from '@/api/lists/withdrawals';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { DateTime } from '@/ui/DateTime';
import { WITHDRAWAL_ACTIONS } from './actions';

type WithdrawalRow = Schemas['Withdrawal'];

/** The list changes while it is open: customers request withdrawals, and other staff members approve or reject them. */
const REFETCH_INTERVAL_MS = 30_000;

/** The time of the approval, and the approver, who may be forbidden to mark the same withdrawal as paid. */
function ApprovalCell({ row }: { row: WithdrawalRow }) {
  const { t } = useTranslation();
  if (!row.approved_at) return '–';
  const approver = row.approved_by && `${t('withdrawals.columns.approvedBy')} ${row.approved_by.name}`;
  return (
    <span title={approver ?? undefined}>
      <DateTime time={row.approved_at} />
      {row.approved_by && ` · ${row.approved_by.name}`}
    </span>
  );
}

export const WITHDRAWAL_LIST: List<WithdrawalRow> = defineList(withdrawals, {
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
      filter: {
        kind: 'enum',
        values: BalanceType.filter((balanceType) => balanceType !== 'task'),
        textPrefix: 'balanceType',
      },
    },
    approved_at: (row) => <ApprovalCell row={row} />,
  },
  defaultFilters: { status: 'pending' },
  refetchIntervalMs: REFETCH_INTERVAL_MS,
  actions: WITHDRAWAL_ACTIONS,
});

export default function Withdrawals() {
  return <ServerTable list={WITHDRAWAL_LIST} />;
}
