// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { ComboStatus, OrderSource } from '../enums';

export const comboOrders = declareList<'ComboOrder'>()({
  name: 'combo-orders',
  path: '/api/v1/admin/combo-orders',
  labels: 'combo-orders',
  defaultColumns: ['id', 'created_at', 'status', 'package.name', 'user.name', 'url', 'orders_count', 'cost', 'source'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'url', kind: 'text' },
    { name: 'status', kind: 'enum', enumName: 'ComboStatus', values: ComboStatus },
    { name: 'source', kind: 'enum', enumName: 'OrderSource', values: OrderSource },
    { name: 'orders_count', kind: 'number' },
    { name: 'package', kind: 'text', inRow: false, hasLabel: false },
    { name: 'package.id', kind: 'id', hasLabel: false },
    { name: 'package.name', kind: 'text', filteredBy: 'package' },
    { name: 'package.type', kind: 'exact_text' },
    { name: 'created_at', kind: 'time' },
    { name: 'completed_at', kind: 'time' },
    { name: 'canceled_at', kind: 'time' },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
    { name: 'cost', kind: 'money', searchable: false },
    { name: 'refunded', kind: 'money', searchable: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', hasLabel: false },
  ],
});
