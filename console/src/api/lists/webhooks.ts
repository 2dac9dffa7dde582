// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { EventType, WebhookStatus } from '../enums';

export const webhooks = declareList<'Webhook'>()({
  name: 'webhooks',
  path: '/api/v1/admin/webhooks',
  labels: 'webhooks',
  defaultColumns: ['id', 'url', 'status', 'webhook_types', 'last_delivered_at', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'url', kind: 'text' },
    { name: 'is_active', kind: 'flag', hasLabel: false },
    { name: 'status', kind: 'enum', enumName: 'WebhookStatus', values: WebhookStatus },
    { name: 'webhook_types', kind: 'enum_list', enumName: 'EventType', values: EventType },
    { name: 'failing_since', kind: 'time' },
    { name: 'last_delivered_at', kind: 'time' },
    { name: 'created_at', kind: 'time' },
    { name: 'updated_at', kind: 'time' },
    { name: 'notice', kind: 'text', hasLabel: false, searchable: false },
    { name: 'old_secret_until', kind: 'time', hasLabel: false, searchable: false },
  ],
  filters: [],
});
