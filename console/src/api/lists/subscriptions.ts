// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { BatchStatus, BillingType } from '../words';

export const subscriptions = declareList<'SubscriptionRow'>()({
  name: 'subscriptions',
  path: '/api/v1/admin/subscriptions',
  labels: 'subscriptions',
  wide: ['id', 'created_at', 'status', 'name', 'user.name', 'url', 'subscription_contents_count', 'contents_limit', 'orders_count', 'subscription_services', 'billing_type', 'expired_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'url', kind: 'text' },
    { name: 'type', kind: 'exact' },
    { name: 'status', kind: 'word', set: 'BatchStatus', words: BatchStatus },
    { name: 'billing_type', kind: 'word', set: 'BillingType', words: BillingType },
    { name: 'contents_limit', kind: 'number' },
    { name: 'subscription_contents_count', kind: 'number' },
    { name: 'orders_count', kind: 'number' },
    { name: 'cost', kind: 'money' },
    { name: 'returned', kind: 'money' },
    { name: 'delay_minutes', kind: 'number' },
    { name: 'old_contents', kind: 'number' },
    { name: 'looked_at', kind: 'time' },
    { name: 'look_at', kind: 'time' },
    { name: 'last_error', kind: 'text' },
    { name: 'wait_reason', kind: 'text' },
    { name: 'period_days', kind: 'number' },
    { name: 'renews_at', kind: 'time' },
    { name: 'paused_at', kind: 'time' },
    { name: 'expired_at', kind: 'time' },
    { name: 'created_at', kind: 'time' },
    { name: 'completed_at', kind: 'time' },
    { name: 'canceled_at', kind: 'time' },
    { name: 'subscription_services', kind: 'record', of: 'service', inRow: false },
    { name: 'user', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'user.id', kind: 'id', offered: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', offered: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', offered: false },
  ],
});
