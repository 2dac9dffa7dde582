// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';

export const orderWidgets = declareList<'OrderWidgetRow'>()({
  name: 'order-widgets',
  path: '/api/v1/admin/order-widgets',
  labels: 'order-widgets',
  defaultColumns: ['id', 'name', 'user.name', 'is_outer', 'minimum_purchase_amount', 'reward_fraction', 'created_at', 'api_token'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
    { name: 'is_outer', kind: 'flag' },
    { name: 'api_token', kind: 'exact_text' },
    { name: 'minimum_purchase_amount', kind: 'money' },
    { name: 'reward_fraction', kind: 'fraction' },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [],
});
