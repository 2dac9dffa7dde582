// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { DeliveryStatus, EventType } from '../words';

export const webhookDeliveries = declareList<'WebhookDelivery'>()({
  name: 'webhook-deliveries',
  path: '/api/v1/admin/webhooks/{id}/deliveries',
  labels: 'webhook-deliveries',
  wide: ['id', 'created_at', 'type', 'status', 'attempts', 'response_status', 'error', 'next_attempt_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'message_id', kind: 'exact' },
    { name: 'type', kind: 'word', set: 'EventType', words: EventType },
    { name: 'status', kind: 'word', set: 'DeliveryStatus', words: DeliveryStatus },
    { name: 'attempts', kind: 'number' },
    { name: 'response_status', kind: 'number' },
    { name: 'error', kind: 'text' },
    { name: 'next_attempt_at', kind: 'time' },
    { name: 'attempted_at', kind: 'time' },
    { name: 'created_at', kind: 'time' },
    { name: 'body', kind: 'text' },
  ],
  filters: [
    { name: 'webhook_id', kind: 'id', offered: false },
  ],
});
