// The list of a webhook's deliveries, with a dialog for the message and its attempts, and the action to redeliver it.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { webhookDeliveries } from '@/api/lists/webhook-deliveries';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { Button } from '@/ui/Button';
import { DescriptionList, SmallTable } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { DateTime } from '@/ui/DateTime';
import { Dialog } from '@/ui/Dialog';
import { StatusTag } from '@/ui/StatusTag';
import { toEventTextKey, type Webhook } from './webhookList';

export type Delivery = Schemas['WebhookDelivery'];

/** The list changes while it is open, because the worker delivers messages. */
const REFETCH_INTERVAL_MS = 15_000;

export function defineDeliveryList(webhook: Webhook): List<Delivery> {
  const redeliverAction: Action<Delivery> = {
    name: 'redeliver',
    icon: 'replay',
    allows: (row) => row.actions.redeliver,
    ...perRecordCalls('POST', '/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
      pathParameters: (delivery_id) => ({ id: webhook.id, delivery_id }),
    }),
  };
  return defineList(webhookDeliveries, {
    title: 'webhooks.deliveries.title',
    path: `/api/v1/admin/webhooks/${webhook.id}/deliveries`,
    columns: {
      id: 84,
      type: { width: 230, cell: (row) => <DeliveryDetails delivery={row} /> },
      error: 320,
      message_id: 280,
    },
    refetchIntervalMs: REFETCH_INTERVAL_MS,
    actions: [redeliverAction],
  });
}

/** The event type as a button that opens the message and the log of attempts. */
function DeliveryDetails({ delivery }: { delivery: Delivery }) {
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
          wide
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
          <SmallTable
            label={t('webhooks.deliveries.columns.attempts')}
            rows={delivery.log}
            rowKey={(_, index) => index}
            empty={t('webhooks.deliveries.noAttempts')}
            columns={[
              {
                title: t('webhooks.deliveries.columns.attemptedAt'),
                cell: (attempt) => <DateTime time={attempt.at} />,
              },
              {
                title: t('webhooks.deliveries.columns.response'),
                cell: (attempt) => attempt.status ?? '–',
                align: 'end',
              },
              {
                title: t('webhooks.deliveries.duration'),
                cell: (attempt) => formatNumber(attempt.took_ms),
                align: 'end',
              },
              {
                title: t('webhooks.deliveries.responseOrError'),
                cell: (attempt) => attempt.answer || attempt.error || '–',
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
