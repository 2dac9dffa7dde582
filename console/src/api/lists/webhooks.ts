// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { EventType, WebhookStatus } from '../words';

export const webhooks = declareList<'Webhook'>()({
  name: 'webhooks',
  path: '/api/v1/admin/webhooks',
  labels: 'webhooks',
  wide: ['id', 'url', 'status', 'webhook_types', 'last_delivered_at', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'url', kind: 'text' },
    { name: 'is_active', kind: 'flag', offered: false },
    { name: 'status', kind: 'word', set: 'WebhookStatus', words: WebhookStatus },
    { name: 'webhook_types', kind: 'words', set: 'EventType', words: EventType },
    { name: 'failing_since', kind: 'time' },
    { name: 'last_delivered_at', kind: 'time' },
    { name: 'created_at', kind: 'time' },
    { name: 'updated_at', kind: 'time' },
    { name: 'notice', kind: 'text', offered: false, searchable: false },
    { name: 'old_secret_until', kind: 'time', offered: false, searchable: false },
  ],
  filters: [],
});
