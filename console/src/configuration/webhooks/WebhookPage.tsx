// One webhook: how it is doing, its secret, and everything that was sent to it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, unwrap } from '@/api/client';
import { webhooks } from '@/api/lists/webhooks';
import { Problem } from '@/api/problem';
import { fetchRows } from '@/api/table';
import { useSubmit } from '@/form/useSubmit';
import { ActionDialog } from '@/table/ActionDialog';
import type { Action } from '@/table/action';
import { perRecordCalls } from '@/table/perRecordCalls';
import { RecordActions } from '@/table/RecordActions';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Card, DescriptionList } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { DateTime } from '@/ui/DateTime';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { type Delivery, deliveriesOf } from './Deliveries';
import { textOf, WEBHOOK_ACTIONS, type Webhook } from './declaration';
import { SecretDialog } from './SecretDialog';
import { WebhookForm } from './WebhookForm';

export default function WebhookPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: async ({ signal }) => {
      const [webhook] = await fetchRows(webhooks, 1, signal, { filters: { id: String(id) } });
      if (!webhook) throw new Problem({ status: 404, code: 'not_found', message: t('ui.missing') });
      return webhook;
    },
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} list={{ href: '/webhooks', text: t('webhooks.title') }}>
      {(webhook) => <Shown webhook={webhook} />}
    </RecordPage>
  );
}

function Shown({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const list = useMemo(() => deliveriesOf(webhook), [webhook]);
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{webhook.url}</h1>
        <CopyButton text={webhook.url} />
        <StatusTag status={webhook.status} />
      </div>
      {webhook.notice && <p className="record-notice">{webhook.notice}</p>}
      <Buttons webhook={webhook} />
      <Card title={t('webhooks.about')}>
        <DescriptionList
          rows={[
            [
              t('webhooks.columns.types'),
              webhook.webhook_types.map(({ type }) => t(`eventType.${textOf(type)}`)).join(', '),
            ],
            [t('webhooks.columns.lastDeliveredAt'), <DateTime key="last" at={webhook.last_delivered_at} />],
            [t('webhooks.columns.failingSince'), <DateTime key="failing" at={webhook.failing_since} />],
            [t('webhooks.oldSecretUntil'), <DateTime key="old" at={webhook.old_secret_until} />],
            [t('webhooks.columns.createdAt'), <DateTime key="made" at={webhook.created_at} />],
          ]}
        />
      </Card>
      <ServerTable list={list} />
    </>
  );
}

function Buttons({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [editing, setEditing] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [rotating, setRotating] = useState(false);
  const { actions } = webhook;
  const changed = () => {
    void queries.invalidateQueries({ queryKey: ['webhooks'] });
    void queries.invalidateQueries({ queryKey: [deliveriesOf(webhook).name] });
  };
  const test = useSubmit({
    send: async () => {
      const params = { path: { id: webhook.id } };
      return (await unwrap(api.POST('/api/v1/admin/webhooks/{id}/test', { params }))).data;
    },
    success: ({ status, response_status, error }: Delivery) =>
      status === 'delivered'
        ? t('webhooks.tested', { status: response_status })
        : { tone: 'error', text: error ?? t('webhooks.notTested') },
    showProblemAs: 'toast',
    onDone: changed,
    onProblem: changed,
  });
  const rotate: Action<Webhook> = {
    ...ROTATE,
    one: async (id, input, how) => {
      const answer = (await ROTATE.one(id, input, how)) as { data: Webhook };
      setSecret(answer.data.secret ?? null);
      return answer;
    },
  };
  return (
    <div className="record-actions">
      {actions.editable && <Button icon="pencil" label={t('webhooks.edit')} onClick={() => setEditing(true)} />}
      {actions.test && (
        <Button icon="send" label={t('webhooks.test')} busy={test.isPending} onClick={() => void test.submit()} />
      )}
      {actions.rotate_secret && (
        <Button icon="key" label={t('actions.rotateSecret.label')} onClick={() => setRotating(true)} />
      )}
      <RecordActions
        row={webhook}
        actions={WEBHOOK_ACTIONS}
        onDone={(action) => {
          if (action.name !== 'deleteWebhook') return changed();
          // Nobody asks for what is gone; the list is read anew.
          queries.removeQueries({ queryKey: ['webhooks'] });
          go('/webhooks');
        }}
      />
      {editing && (
        <WebhookForm
          webhook={webhook}
          onClose={() => setEditing(false)}
          onSaved={(saved) => {
            // One that moved to another server got a new secret.
            setSecret(saved.secret ?? null);
            changed();
          }}
        />
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
      {rotating && (
        <ActionDialog
          action={rotate}
          ids={[webhook.id]}
          row={webhook}
          onClose={() => setRotating(false)}
          onDone={changed}
        />
      )}
    </div>
  );
}

const ROTATE: Action<Webhook> = {
  name: 'rotateSecret',
  icon: 'key',
  // Each secret is shown to a person.
  single: true,
  allows: (row) => row.actions.rotate_secret,
  ...perRecordCalls('POST', '/api/v1/admin/webhooks/{id}/rotate-secret'),
};
