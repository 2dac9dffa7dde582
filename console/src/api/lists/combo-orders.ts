// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { ComboStatus, OrderSource } from '../words';

export const comboOrders = declareList<'ComboOrder'>()({
  name: 'combo-orders',
  path: '/api/v1/admin/combo-orders',
  labels: 'combo-orders',
  wide: ['id', 'created_at', 'status', 'package.name', 'user.name', 'url', 'orders_count', 'cost', 'source'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'url', kind: 'text' },
    { name: 'status', kind: 'word', set: 'ComboStatus', words: ComboStatus },
    { name: 'source', kind: 'word', set: 'OrderSource', words: OrderSource },
    { name: 'orders_count', kind: 'number' },
    { name: 'package', kind: 'text', inRow: false, offered: false },
    { name: 'package.id', kind: 'id', offered: false },
    { name: 'package.name', kind: 'text', filteredBy: 'package' },
    { name: 'package.type', kind: 'exact' },
    { name: 'created_at', kind: 'time' },
    { name: 'completed_at', kind: 'time' },
    { name: 'canceled_at', kind: 'time' },
    { name: 'user', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'user.id', kind: 'id', offered: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', offered: false },
    { name: 'cost', kind: 'money', searchable: false },
    { name: 'returned', kind: 'money', searchable: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', offered: false },
  ],
});
