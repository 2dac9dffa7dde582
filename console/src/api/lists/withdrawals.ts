// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { BalanceType, WithdrawalStatus } from '../enums';

export const withdrawals = declareList<'Withdrawal'>()({
  name: 'withdrawals',
  path: '/api/v1/admin/withdrawals',
  labels: 'withdrawals',
  defaultColumns: ['id', 'created_at', 'status', 'amount', 'withdrawal_method.name', 'account_number', 'user.name', 'user_comment', 'transaction_id'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'account_number', kind: 'text' },
    { name: 'amount', kind: 'money' },
    { name: 'balance_type', kind: 'enum', enumName: 'BalanceType', values: BalanceType },
    { name: 'withdrawal_method', kind: 'record', recordKind: 'payment_method', permission: 'view payment methods', inRow: false, hasLabel: false },
    { name: 'withdrawal_method.id', kind: 'id', permission: 'view payment methods', hasLabel: false },
    { name: 'withdrawal_method.name', kind: 'text', permission: 'view payment methods', filteredBy: 'withdrawal_method' },
    { name: 'admin_note', kind: 'text' },
    { name: 'user_comment', kind: 'text' },
    { name: 'transaction_id', kind: 'text' },
    { name: 'status', kind: 'enum', enumName: 'WithdrawalStatus', values: WithdrawalStatus },
    { name: 'created_at', kind: 'time' },
    { name: 'approved_at', kind: 'time' },
    { name: 'paid_at', kind: 'time' },
    { name: 'rejected_at', kind: 'time' },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', hasLabel: false },
  ],
});
