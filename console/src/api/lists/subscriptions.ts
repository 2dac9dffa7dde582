// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { BillingType, RecurringOrderStatus } from '../enums';

export const subscriptions = declareList<'SubscriptionRow'>()({
  name: 'subscriptions',
  path: '/api/v1/admin/subscriptions',
  labels: 'subscriptions',
  defaultColumns: ['id', 'created_at', 'status', 'name', 'user.name', 'url', 'subscription_contents_count', 'contents_limit', 'orders_count', 'subscription_services', 'billing_type', 'expired_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'url', kind: 'text' },
    { name: 'type', kind: 'exact_text' },
    { name: 'status', kind: 'enum', enumName: 'RecurringOrderStatus', values: RecurringOrderStatus },
    { name: 'billing_type', kind: 'enum', enumName: 'BillingType', values: BillingType },
    { name: 'contents_limit', kind: 'number' },
    { name: 'subscription_contents_count', kind: 'number' },
    { name: 'orders_count', kind: 'number' },
    { name: 'cost', kind: 'money' },
    { name: 'refunded', kind: 'money' },
    { name: 'delay_minutes', kind: 'number' },
    { name: 'old_contents', kind: 'number' },
    { name: 'last_polled_at', kind: 'time' },
    { name: 'next_poll_at', kind: 'time' },
    { name: 'last_error', kind: 'text' },
    { name: 'wait_reason', kind: 'text' },
    { name: 'period_days', kind: 'number' },
    { name: 'renews_at', kind: 'time' },
    { name: 'paused_at', kind: 'time' },
    { name: 'expired_at', kind: 'time' },
    { name: 'created_at', kind: 'time' },
    { name: 'completed_at', kind: 'time' },
    { name: 'canceled_at', kind: 'time' },
    { name: 'subscription_services', kind: 'record', recordKind: 'service', inRow: false },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', hasLabel: false },
  ],
});
