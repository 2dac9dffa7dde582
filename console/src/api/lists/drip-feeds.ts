// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { RecurringOrderStatus } from '../enums';

export const dripFeeds = declareList<'DripFeed'>()({
  name: 'drip-feeds',
  path: '/api/v1/admin/drip-feeds',
  labels: 'drip-feeds',
  defaultColumns: ['id', 'created_at', 'status', 'service.name', 'user.name', 'url', 'orders_count', 'runs', 'minutes_between_runs', 'quantity', 'total_quantity', 'cost', 'next_run_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'url', kind: 'text' },
    { name: 'status', kind: 'enum', enumName: 'RecurringOrderStatus', values: RecurringOrderStatus },
    { name: 'runs', kind: 'number' },
    { name: 'orders_count', kind: 'number' },
    { name: 'price', kind: 'money' },
    { name: 'quantity', kind: 'number' },
    { name: 'total_quantity', kind: 'number' },
    { name: 'cost', kind: 'money' },
    { name: 'refunded', kind: 'money' },
    { name: 'minutes_between_runs', kind: 'number' },
    { name: 'next_run_at', kind: 'time' },
    { name: 'last_error', kind: 'text' },
    { name: 'created_at', kind: 'time' },
    { name: 'completed_at', kind: 'time' },
    { name: 'canceled_at', kind: 'time' },
    { name: 'service', kind: 'record', recordKind: 'service', inRow: false, hasLabel: false },
    { name: 'service.id', kind: 'id', hasLabel: false },
    { name: 'service.name', kind: 'text', filteredBy: 'service' },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
    { name: 'refund_amount', kind: 'money', searchable: false },
    { name: 'countries', kind: 'json', searchable: false },
    { name: 'promotable.average_viewers', kind: 'number', searchable: false },
    { name: 'promotable.region_restriction', kind: 'text', searchable: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', hasLabel: false },
  ],
});
