// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { CancelRequestCause, CancelRequestStatus, OrderStatus } from '../enums';

export const orderCancelRequests = declareList<'OrderCancelRequest'>()({
  name: 'order-cancel-requests',
  path: '/api/v1/admin/order-cancel-requests',
  labels: 'order-cancel-requests',
  defaultColumns: ['id', 'created_at', 'status', 'cause', 'order.id', 'order.current_quantity', 'refunded', 'user.name', 'provider.name', 'provider_response', 'deadline_at', 'decided_by.name'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'order.id', kind: 'id' },
    { name: 'order.name', kind: 'text' },
    { name: 'order.status', kind: 'enum', enumName: 'OrderStatus', values: OrderStatus },
    { name: 'order.quantity', kind: 'number' },
    { name: 'order.current_quantity', kind: 'number' },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
    { name: 'external_order_id', kind: 'id' },
    { name: 'provider', kind: 'record', recordKind: 'provider', inRow: false, hasLabel: false },
    { name: 'provider.id', kind: 'id', hasLabel: false },
    { name: 'provider.name', kind: 'text', filteredBy: 'provider' },
    { name: 'status', kind: 'enum', enumName: 'CancelRequestStatus', values: CancelRequestStatus },
    { name: 'cause', kind: 'enum', enumName: 'CancelRequestCause', values: CancelRequestCause },
    { name: 'escalated_at', kind: 'time' },
    { name: 'provider_response', kind: 'text' },
    { name: 'refunded', kind: 'money', searchable: false },
    { name: 'created_at', kind: 'time' },
    { name: 'sent_at', kind: 'time' },
    { name: 'acknowledged_at', kind: 'time' },
    { name: 'deadline_at', kind: 'time' },
    { name: 'decided_at', kind: 'time' },
    { name: 'decided_by', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'decided_by.id', kind: 'id', hasLabel: false },
    { name: 'decided_by.name', kind: 'text', filteredBy: 'decided_by' },
  ],
  filters: [
    { name: 'waiting', kind: 'flag' },
    { name: 'order_id', kind: 'id', hasLabel: false },
  ],
});
