// What was sent to a webhook: the message, every attempt with its answer, and sending it again.
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
import { textOf, type Webhook } from './declaration';

export type Delivery = Schemas['WebhookDelivery'];

/** Attempts happen while somebody looks. */
const EVERY_MS = 15_000;

export function deliveriesOf(webhook: Webhook): List<Delivery> {
  const redeliver: Action<Delivery> = {
    name: 'redeliver',
    icon: 'replay',
    allows: (row) => row.actions.redeliver,
    ...perRecordCalls('POST', '/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
      path: (delivery_id) => ({ id: webhook.id, delivery_id }),
    }),
  };
  return defineList(webhookDeliveries, {
    title: 'webhooks.deliveries.title',
    path: `/api/v1/admin/webhooks/${webhook.id}/deliveries`,
    columns: {
      id: 84,
      type: { width: 230, cell: (row) => <Message delivery={row} /> },
      error: 320,
      message_id: 280,
    },
    refetchIntervalMs: EVERY_MS,
    actions: [redeliver],
  });
}

/** Its type, which shows what was sent and what came back. */
function Message({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const name = t(`eventType.${textOf(delivery.type)}`);
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {name}
      </button>
      {open && (
        <Dialog
          wide
          title={name}
          onClose={() => setOpen(false)}
          footer={<Button variant="filled" label={t('ui.close')} onClick={() => setOpen(false)} data-autofocus />}
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
              [t('webhooks.deliveries.columns.nextAttemptAt'), <DateTime key="next" at={delivery.next_attempt_at} />],
            ]}
          />
          <h3>{t('webhooks.deliveries.body')}</h3>
          <pre className="code">{pretty(delivery.body)}</pre>
          <h3>{t('webhooks.deliveries.columns.attempts')}</h3>
          <SmallTable
            label={t('webhooks.deliveries.columns.attempts')}
            rows={delivery.log}
            rowKey={(_, at) => at}
            empty={t('webhooks.deliveries.none')}
            columns={[
              { title: t('webhooks.deliveries.columns.attemptedAt'), cell: (one) => <DateTime at={one.at} /> },
              { title: t('webhooks.deliveries.columns.answer'), cell: (one) => one.status ?? '–', align: 'end' },
              { title: t('webhooks.deliveries.took'), cell: (one) => formatNumber(one.took_ms), align: 'end' },
              { title: t('webhooks.deliveries.said'), cell: (one) => one.answer || one.error || '–' },
            ]}
          />
        </Dialog>
      )}
    </>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
