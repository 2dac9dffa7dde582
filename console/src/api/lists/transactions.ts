// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { BalanceType, PaymentType, TransactionType } from '../enums';

export const transactions = declareList<'PaymentRow'>()({
  name: 'transactions',
  path: '/api/v1/admin/transactions',
  labels: 'payments',
  defaultColumns: ['id', 'created_at', 'user.name', 'type', 'transaction_type', 'balance_type', 'amount', 'balance_after', 'payment_method.name', 'order_id', 'admin_id'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'admin_id', kind: 'id' },
    { name: 'amount', kind: 'money' },
    { name: 'balance_after', kind: 'money' },
    { name: 'balance_type', kind: 'enum', enumName: 'BalanceType', values: BalanceType },
    { name: 'created_at', kind: 'time' },
    { name: 'order_id', kind: 'id' },
    { name: 'payment_method', kind: 'record', recordKind: 'payment_method', permission: 'view payment methods', inRow: false, hasLabel: false },
    { name: 'payment_method.id', kind: 'id', permission: 'view payment methods', hasLabel: false },
    { name: 'payment_method.name', kind: 'text', permission: 'view payment methods', filteredBy: 'payment_method' },
    { name: 'transaction_type', kind: 'enum', enumName: 'TransactionType', values: TransactionType },
    { name: 'type', kind: 'enum', enumName: 'PaymentType', values: PaymentType },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
    { name: 'comment', kind: 'text' },
  ],
  filters: [
    { name: 'user_id', kind: 'id', hasLabel: false },
    { name: 'order_id', kind: 'id' },
  ],
});
