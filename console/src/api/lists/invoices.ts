// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { InvoiceStatus } from '../words';

export const invoices = declareList<'Invoice'>()({
  name: 'invoices',
  path: '/api/v1/admin/invoices',
  labels: 'invoices',
  wide: ['id', 'created_at', 'status', 'short_name', 'user.name', 'payment_method.name', 'amount', 'paid_amount', 'bonus_amount', 'paid_at', 'coupon.code'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'amount', kind: 'money' },
    { name: 'paid_amount', kind: 'money' },
    { name: 'bonus_amount', kind: 'money' },
    { name: 'created_at', kind: 'time' },
    { name: 'paid_at', kind: 'time' },
    { name: 'payment_method', kind: 'record', of: 'payment_method', permission: 'view payment methods', inRow: false, offered: false },
    { name: 'payment_method.id', kind: 'id', permission: 'view payment methods', offered: false },
    { name: 'payment_method.name', kind: 'text', permission: 'view payment methods', filteredBy: 'payment_method' },
    { name: 'short_name', kind: 'text' },
    { name: 'coupon', kind: 'text', inRow: false, offered: false },
    { name: 'coupon.id', kind: 'id', offered: false },
    { name: 'coupon.code', kind: 'text', filteredBy: 'coupon' },
    { name: 'status', kind: 'word', set: 'InvoiceStatus', words: InvoiceStatus },
    { name: 'user', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'user.id', kind: 'id', offered: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', offered: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', offered: false },
  ],
});
