// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { DeliveryStatus, EventType } from '../enums';

export const webhookDeliveries = declareList<'WebhookDelivery'>()({
  name: 'webhook-deliveries',
  path: '/api/v1/admin/webhooks/{id}/deliveries',
  labels: 'webhook-deliveries',
  defaultColumns: ['id', 'created_at', 'type', 'status', 'attempts', 'response_status', 'error', 'next_attempt_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'message_id', kind: 'exact_text' },
    { name: 'type', kind: 'enum', enumName: 'EventType', values: EventType },
    { name: 'status', kind: 'enum', enumName: 'DeliveryStatus', values: DeliveryStatus },
    { name: 'attempts', kind: 'number' },
    { name: 'response_status', kind: 'number' },
    { name: 'error', kind: 'text' },
    { name: 'next_attempt_at', kind: 'time' },
    { name: 'attempted_at', kind: 'time' },
    { name: 'created_at', kind: 'time' },
    { name: 'body', kind: 'text' },
  ],
  filters: [
    { name: 'webhook_id', kind: 'id', hasLabel: false },
  ],
});
