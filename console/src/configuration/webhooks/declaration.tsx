// Webhooks as a list, and what can be done with one beside changing it.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { webhooks } from '@/api/lists/webhooks';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';

export type Webhook = Schemas['Webhook'];
export type EventWord = Schemas['EventType'];

export const PATH = '/api/v1/admin/webhooks/{id}';

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

const turn = (is_active: boolean) => perRecordCalls('PUT', PATH, { body: () => ({ is_active }) });

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
    ...perRecordCalls('DELETE', PATH),
  },
];

export const WEBHOOKS: List<Webhook> = defineList(webhooks, {
  title: 'webhooks.title',
  columns: {
    id: { width: 72, to: (row) => `/webhooks/${row.id}` },
    url: { width: 300, cell: (row) => <Link href={`/webhooks/${row.id}`}>{row.url}</Link> },
    status: 140,
    // A test is sent by staff; no webhook asks for it.
    webhook_types: {
      width: 320,
      cell: (row) => <Types webhook={row} />,
      sortable: false,
      filter: { kind: 'words', words: EVENTS, texts: 'eventType' },
    },
  },
  actions: WEBHOOK_ACTIONS,
  open: (row) => `/webhooks/${row.id}`,
});
