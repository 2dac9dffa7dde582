// Webhooks as a list, and what can be done with one beside changing it.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { StatusTag } from '@/ui/StatusTag';

export type Webhook = Schemas['Webhook'];
export type EventWord = Schemas['EventType'];

export const PATH = '/api/v1/admin/webhooks/{id}';

const STATUSES = ['active', 'failing', 'disabled', 'switched_off'] as const satisfies readonly Webhook['status'][];

/** What can be subscribed to, by what it is about. */
export const GROUPS: readonly (readonly [string, readonly EventWord[]])[] = [
  ['orders', ['order.created', 'order.status_changed', 'order.completed', 'order.canceled']],
  ['money', ['payment.created', 'withdrawal.created', 'withdrawal.status_changed']],
  ['people', ['user.created', 'user.updated', 'user.status_changed']],
];

export const EVENTS = GROUPS.flatMap(([, events]) => events);

/** The words of a type as keys of texts, which cannot hold dots. */
export const textOf = (type: EventWord) => type.replace('.', '_') as 'order_created';

function Types({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  return webhook.webhook_types.map(({ type }) => t(`eventType.${textOf(type)}`)).join(', ');
}

const c = columnsOf<Webhook>('webhooks');
const COLUMNS: readonly Column<Webhook>[] = [
  c.id(72, (row) => `/webhooks/${row.id}`),
  {
    name: 'url',
    label: 'webhooks.columns.url',
    width: 300,
    filter: { kind: 'text' },
    cell: (row) => <Link href={`/webhooks/${row.id}`}>{row.url}</Link>,
  },
  {
    name: 'status',
    label: 'webhooks.columns.status',
    width: 140,
    filter: { kind: 'words', words: STATUSES, texts: 'status' },
    cell: (row) => <StatusTag status={row.status} />,
  },
  {
    name: 'webhook_types',
    label: 'webhooks.columns.types',
    width: 320,
    sortable: false,
    filter: { kind: 'words', words: EVENTS, texts: 'eventType' },
    cell: (row) => <Types webhook={row} />,
  },
  c.time('last_delivered_at', 'lastDeliveredAt'),
  c.time('failing_since', 'failingSince', { hidden: true }),
  c.time('created_at', 'createdAt'),
  c.time('updated_at', 'updatedAt', { hidden: true, label: 'orders.columns.updatedAt' }),
];

const turn = (is_active: boolean) => eachOf('PUT', PATH, { body: () => ({ is_active }) as Schemas['WebhookInput'] });

export const WEBHOOK_ACTIONS: readonly Action<Webhook>[] = [
  {
    name: 'enableWebhook',
    icon: 'check-circle',
    allows: (row) => row.actions.enable,
    ...turn(true),
  },
  {
    name: 'disableWebhook',
    icon: 'minus-circle',
    allows: (row) => row.actions.disable,
    ...turn(false),
  },
  {
    name: 'deleteWebhook',
    icon: 'trash',
    tone: 'danger',
    allows: (row) => row.actions.deletable,
    ...eachOf('DELETE', PATH),
  },
];

export const WEBHOOKS: List<Webhook> = {
  name: 'webhooks',
  title: 'webhooks.title',
  path: '/api/v1/admin/webhooks',
  columns: COLUMNS,
  actions: WEBHOOK_ACTIONS,
  open: (row) => `/webhooks/${row.id}`,
};
