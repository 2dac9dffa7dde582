// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { BalanceType, PaymentType, TransactionType } from '../words';

export const transactions = declareList<'PaymentRow'>()({
  name: 'transactions',
  path: '/api/v1/admin/transactions',
  labels: 'payments',
  wide: ['id', 'created_at', 'user.name', 'type', 'transaction_type', 'balance_type', 'amount', 'balance_after', 'payment_method.name', 'order_id', 'admin_id'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'admin_id', kind: 'id' },
    { name: 'amount', kind: 'money' },
    { name: 'balance_after', kind: 'money' },
    { name: 'balance_type', kind: 'word', set: 'BalanceType', words: BalanceType },
    { name: 'created_at', kind: 'time' },
    { name: 'order_id', kind: 'id' },
    { name: 'payment_method', kind: 'record', of: 'payment_method', permission: 'view payment methods', inRow: false, offered: false },
    { name: 'payment_method.id', kind: 'id', permission: 'view payment methods', offered: false },
    { name: 'payment_method.name', kind: 'text', permission: 'view payment methods', filteredBy: 'payment_method' },
    { name: 'transaction_type', kind: 'word', set: 'TransactionType', words: TransactionType },
    { name: 'type', kind: 'word', set: 'PaymentType', words: PaymentType },
    { name: 'user', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'user.id', kind: 'id', offered: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', offered: false },
    { name: 'comment', kind: 'text' },
  ],
  filters: [
    { name: 'user_id', kind: 'id', offered: false },
    { name: 'order_id', kind: 'id' },
  ],
});
