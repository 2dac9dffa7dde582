// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';

export const orderWidgets = declareList<'OrderWidgetRow'>()({
  name: 'order-widgets',
  path: '/api/v1/admin/order-widgets',
  labels: 'order-widgets',
  wide: ['id', 'name', 'user.name', 'is_outer', 'minimum_purchase_amount', 'reward_percent', 'created_at', 'api_token'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'user', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'user.id', kind: 'id', offered: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', offered: false },
    { name: 'is_outer', kind: 'flag' },
    { name: 'api_token', kind: 'exact' },
    { name: 'minimum_purchase_amount', kind: 'money' },
    { name: 'reward_percent', kind: 'fraction' },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [],
});
