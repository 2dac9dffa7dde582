// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { InvoiceStatus } from '../enums';

export const invoices = declareList<'Invoice'>()({
  name: 'invoices',
  path: '/api/v1/admin/invoices',
  labels: 'invoices',
  defaultColumns: ['id', 'created_at', 'status', 'short_name', 'user.name', 'payment_method.name', 'amount', 'paid_amount', 'bonus_amount', 'paid_at', 'coupon.code'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'amount', kind: 'money' },
    { name: 'paid_amount', kind: 'money' },
    { name: 'bonus_amount', kind: 'money' },
    { name: 'created_at', kind: 'time' },
    { name: 'paid_at', kind: 'time' },
    { name: 'payment_method', kind: 'record', recordKind: 'payment_method', permission: 'view payment methods', inRow: false, hasLabel: false },
    { name: 'payment_method.id', kind: 'id', permission: 'view payment methods', hasLabel: false },
    { name: 'payment_method.name', kind: 'text', permission: 'view payment methods', filteredBy: 'payment_method' },
    { name: 'short_name', kind: 'text' },
    { name: 'coupon', kind: 'text', inRow: false, hasLabel: false },
    { name: 'coupon.id', kind: 'id', hasLabel: false },
    { name: 'coupon.code', kind: 'text', filteredBy: 'coupon' },
    { name: 'status', kind: 'enum', enumName: 'InvoiceStatus', values: InvoiceStatus },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', hasLabel: false },
  ],
});
