// The declaration of the list of webhooks, of its actions, and of the event types to which a webhook can subscribe.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { webhooks } from '@/api/lists/webhooks';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';

export type Webhook = Schemas['Webhook'];
export type EventType = Schemas['EventType'];

export const WEBHOOK_PATH = '/api/v1/admin/webhooks/{id}';

/** Event types by the menu group of their records. */
export const EVENT_GROUPS: readonly (readonly [string, readonly EventType[]])[] = [
  ['orders', ['order.created', 'order.status_changed', 'order.completed', 'order.canceled']],
  ['money', ['payment.created', 'withdrawal.created', 'withdrawal.status_changed']],
  ['people', ['user.created', 'user.updated', 'user.status_changed']],
];

export const EVENT_TYPES = EVENT_GROUPS.flatMap(([, eventTypes]) => eventTypes);

/** Returns the i18n key of an event type below `eventType`: `order_created` for `order.created`, because keys cannot contain dots. */
export const toEventTextKey = (type: EventType) => type.replace('.', '_') as 'order_created';

function EventTypeNames({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  return webhook.webhook_types.map(({ type }) => t(`eventType.${toEventTextKey(type)}`)).join(', ');
}

const createSetActiveRequests = (is_active: boolean) =>
  createPerRecordRequests('PUT', WEBHOOK_PATH, { body: () => ({ is_active }) });

export const WEBHOOK_ACTIONS: readonly Action<Webhook>[] = [
  {
    name: 'enableWebhook',
    icon: 'check-circle',
    isAllowedFor: (row) => row.actions.enable,
    ...createSetActiveRequests(true),
  },
  {
    name: 'disableWebhook',
    icon: 'minus-circle',
    isAllowedFor: (row) => row.actions.disable,
    ...createSetActiveRequests(false),
  },
  {
    name: 'deleteWebhook',
    icon: 'trash',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.deletable,
    ...createPerRecordRequests('DELETE', WEBHOOK_PATH),
  },
];

export const WEBHOOKS: List<Webhook> = defineList(webhooks, {
  title: 'webhooks.title',
  columns: {
    id: { width: 72, linkTo: (row) => `/webhooks/${row.id}` },
    url: { width: 300, cell: (row) => <Link href={`/webhooks/${row.id}`}>{row.url}</Link> },
    status: 140,
    webhook_types: {
      width: 320,
      cell: (row) => <EventTypeNames webhook={row} />,
      sortable: false,
      // Overrides the values, because the API also has the event type of test messages, to which webhooks cannot subscribe.
      filter: { kind: 'enum', values: EVENT_TYPES, textPrefix: 'eventType' },
    },
  },
  actions: WEBHOOK_ACTIONS,
  getRecordUrl: (row) => `/webhooks/${row.id}`,
});
