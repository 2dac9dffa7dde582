// The page of one webhook: its status, its actions, and its deliveries.
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
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { RecordActions } from '@/table/RecordActions';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { type Delivery, defineDeliveryList } from './Deliveries';
import { SecretDialog } from './SecretDialog';
import { WebhookForm } from './WebhookForm';
import { toEventTextKey, WEBHOOK_ACTIONS, type Webhook } from './webhookList';

export default function WebhookPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['webhooks', 'detail', id],
    queryFn: async ({ signal }) => {
      const [webhook] = await fetchRows(webhooks, 1, signal, { filters: { id: String(id) } });
      if (!webhook) throw new Problem({ status: 404, code: 'not_found', message: t('ui.notFound') });
      return webhook;
    },
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} backLink={{ href: '/webhooks', text: t('webhooks.title') }}>
      {(webhook) => <WebhookDetails webhook={webhook} />}
    </RecordPage>
  );
}

function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const list = useMemo(() => defineDeliveryList(webhook), [webhook]);
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{webhook.url}</h1>
        <CopyButton text={webhook.url} />
        <StatusTag status={webhook.status} />
      </div>
      {webhook.notice && <p className="record-notice">{webhook.notice}</p>}
      <WebhookActions webhook={webhook} />
      <Card title={t('webhooks.details')}>
        <DescriptionList
          rows={[
            [
              t('webhooks.columns.types'),
              webhook.webhook_types.map(({ type }) => t(`eventType.${toEventTextKey(type)}`)).join(', '),
            ],
            [t('webhooks.columns.lastDeliveredAt'), <DateTime key="last" time={webhook.last_delivered_at} />],
            [t('webhooks.columns.failingSince'), <DateTime key="failing" time={webhook.failing_since} />],
            [t('webhooks.oldSecretUntil'), <DateTime key="old-secret" time={webhook.old_secret_until} />],
            [t('webhooks.columns.createdAt'), <DateTime key="created" time={webhook.created_at} />],
          ]}
        />
      </Card>
      <ServerTable list={list} />
    </>
  );
}

function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [isEditing, setIsEditing] = useState(false);
  const [newSecret, setNewSecret] = useState<string | null>(null);
  const [isRotating, setIsRotating] = useState(false);
  const { actions } = webhook;
  const refetch = () => {
    void queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    void queryClient.invalidateQueries({ queryKey: [defineDeliveryList(webhook).name] });
  };
  const sendTestMessage = useSubmit({
    send: async () => {
      const params = { path: { id: webhook.id } };
      return (await unwrap(api.POST('/api/v1/admin/webhooks/{id}/test', { params }))).data;
    },
    successMessage: ({ status, response_status, error }: Delivery) =>
      status === 'delivered'
        ? t('webhooks.testDelivered', { status: response_status })
        : { tone: 'error', text: error ?? t('webhooks.testFailed') },
    showProblemAs: 'toast',
    onDone: refetch,
    onProblem: refetch,
  });
  const rotateSecretAction: Action<Webhook> = {
    ...ROTATE_SECRET_ACTION,
    runSingle: async (id, input, options) => {
      const response = (await ROTATE_SECRET_ACTION.runSingle(id, input, options)) as { data: Webhook };
      setNewSecret(response.data.secret ?? null);
      return response;
    },
  };
  return (
    <div className="record-actions">
      {actions.editable && <Button icon="pencil" label={t('webhooks.edit')} onClick={() => setIsEditing(true)} />}
      {actions.test && (
        <Button
          icon="send"
          label={t('webhooks.test')}
          busy={sendTestMessage.isPending}
          onClick={() => void sendTestMessage.submit()}
        />
      )}
      {actions.rotate_secret && (
        <Button icon="key" label={t('actions.rotateSecret.label')} onClick={() => setIsRotating(true)} />
      )}
      <RecordActions
        row={webhook}
        actions={WEBHOOK_ACTIONS}
        onDone={(action) => {
          if (action.name !== 'deleteWebhook') return refetch();
          // Does not use `invalidateQueries`: it would refetch the deleted webhook and show an error 404 until the list opens.
          queryClient.removeQueries({ queryKey: ['webhooks'] });
          navigate('/webhooks');
        }}
      />
      {isEditing && (
        <WebhookForm
          webhook={webhook}
          onClose={() => setIsEditing(false)}
          onSaved={(savedWebhook) => {
            // The server creates a new secret if the new URL has another origin.
            setNewSecret(savedWebhook.secret ?? null);
            refetch();
          }}
        />
      )}
      {newSecret && <SecretDialog secret={newSecret} onClose={() => setNewSecret(null)} />}
      {isRotating && (
        <ActionDialog
          action={rotateSecretAction}
          ids={[webhook.id]}
          row={webhook}
          onClose={() => setIsRotating(false)}
          onDone={refetch}
        />
      )}
    </div>
  );
}

const ROTATE_SECRET_ACTION: Action<Webhook> = {
  name: 'rotateSecret',
  icon: 'key',
  // Not a bulk action, because the page can show the new secret of only one webhook.
  isSingleRecordOnly: true,
  isAllowedFor: (row) => row.actions.rotate_secret,
  ...createPerRecordRequests('POST', '/api/v1/admin/webhooks/{id}/rotate-secret'),
};
