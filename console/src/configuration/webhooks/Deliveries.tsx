// The declaration of the list of a webhook's deliveries, the dialog with a message and its delivery attempts, and the action that sends
// a message again.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { webhookDeliveries } from '@/api/lists/webhook-deliveries';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { Dialog } from '@/ui/Dialog';
import { SimpleTable } from '@/ui/SimpleTable';
import { StatusTag } from '@/ui/StatusTag';
import { toEventTextKey, type Webhook } from './webhookList';

export type Delivery = Schemas['WebhookDelivery'];

/** The list is refetched while it is open, because the worker delivers messages. */
const REFETCH_INTERVAL_MS = 15_000;

export function defineDeliveryList(webhook: Webhook): List<Delivery> {
  const redeliverAction: Action<Delivery> = {
    name: 'redeliver',
    icon: 'replay',
    isAllowedFor: (row) => row.actions.redeliver,
    ...createPerRecordRequests('POST', '/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
      pathParameters: (delivery_id) => ({ id: webhook.id, delivery_id }),
    }),
  };
  return defineList(webhookDeliveries, {
    title: 'webhooks.deliveries.title',
    path: `/api/v1/admin/webhooks/${webhook.id}/deliveries`,
    columns: {
      id: 84,
      type: { width: 230, cell: (row) => <DeliveryDetailsButton delivery={row} /> },
      error: 320,
      message_id: 280,
    },
    refetchIntervalMs: REFETCH_INTERVAL_MS,
    actions: [redeliverAction],
  });
}

/** Shows the event type as a button that opens the message and its delivery attempts. */
function DeliveryDetailsButton({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const eventName = t(`eventType.${toEventTextKey(delivery.type)}`);
  return (
    <>
      <button type="button" className="link" onClick={() => setIsOpen(true)}>
        {eventName}
      </button>
      {isOpen && (
        <Dialog
          isWide
          title={eventName}
          onClose={() => setIsOpen(false)}
          footer={<Button variant="filled" label={t('ui.close')} onClick={() => setIsOpen(false)} data-autofocus />}
        >
          <DescriptionList
            rows={[
              [t('webhooks.deliveries.columns.status'), <StatusTag key="status" status={delivery.status} />],
              [
                t('webhooks.deliveries.columns.messageId'),
                <span key="id">
                  {delivery.message_id} <CopyButton text={delivery.message_id} />
                </span>,
              ],
              [t('webhooks.deliveries.columns.nextAttemptAt'), <DateTime key="next" time={delivery.next_attempt_at} />],
            ]}
          />
          <h3>{t('webhooks.deliveries.body')}</h3>
          <pre className="code">{formatJson(delivery.body)}</pre>
          <h3>{t('webhooks.deliveries.columns.attempts')}</h3>
          <SimpleTable
            label={t('webhooks.deliveries.columns.attempts')}
            rows={delivery.log}
            getRowKey={(_, index) => index}
            emptyText={t('webhooks.deliveries.noAttempts')}
            columns={[
              {
                title: t('webhooks.deliveries.columns.attemptedAt'),
                renderCell: (attempt) => <DateTime time={attempt.at} />,
              },
              {
                title: t('webhooks.deliveries.columns.response'),
                renderCell: (attempt) => attempt.status ?? '–',
                align: 'end',
              },
              {
                title: t('webhooks.deliveries.duration'),
                renderCell: (attempt) => formatNumber(attempt.took_ms),
                align: 'end',
              },
              {
                title: t('webhooks.deliveries.responseOrError'),
                renderCell: (attempt) => attempt.response_body || attempt.error || '–',
              },
            ]}
          />
        </Dialog>
      )}
    </>
  );
}

function formatJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
