// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { CancelRequestCause, CancelRequestStatus, OrderStatus } from '../words';

export const orderCancelRequests = declareList<'OrderCancelRequest'>()({
  name: 'order-cancel-requests',
  path: '/api/v1/admin/order-cancel-requests',
  labels: 'order-cancel-requests',
  wide: ['id', 'created_at', 'status', 'cause', 'order.id', 'order.current_quantity', 'returned', 'user.name', 'provider.name', 'answer', 'deadline_at', 'decided_by.name'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'order.id', kind: 'id' },
    { name: 'order.name', kind: 'text' },
    { name: 'order.status', kind: 'word', set: 'OrderStatus', words: OrderStatus },
    { name: 'order.quantity', kind: 'number' },
    { name: 'order.current_quantity', kind: 'number' },
    { name: 'user', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'user.id', kind: 'id', offered: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', offered: false },
    { name: 'external_order_id', kind: 'id' },
    { name: 'provider', kind: 'record', of: 'provider', inRow: false, offered: false },
    { name: 'provider.id', kind: 'id', offered: false },
    { name: 'provider.name', kind: 'text', filteredBy: 'provider' },
    { name: 'status', kind: 'word', set: 'CancelRequestStatus', words: CancelRequestStatus },
    { name: 'cause', kind: 'word', set: 'CancelRequestCause', words: CancelRequestCause },
    { name: 'escalated_at', kind: 'time' },
    { name: 'answer', kind: 'text' },
    { name: 'returned', kind: 'money', searchable: false },
    { name: 'created_at', kind: 'time' },
    { name: 'asked_at', kind: 'time' },
    { name: 'acknowledged_at', kind: 'time' },
    { name: 'deadline_at', kind: 'time' },
    { name: 'decided_at', kind: 'time' },
    { name: 'decided_by', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'decided_by.id', kind: 'id', offered: false },
    { name: 'decided_by.name', kind: 'text', filteredBy: 'decided_by' },
  ],
  filters: [
    { name: 'waiting', kind: 'flag' },
    { name: 'order_id', kind: 'id', offered: false },
  ],
});
