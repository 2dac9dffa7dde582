// The access of a customer: the payment methods offered to them, and their key for the reseller API.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { ConfirmActionDialog } from '@/form/ConfirmActionDialog';
import { checkbox, isChecked } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { useSubmit } from '@/form/useSubmit';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Card, DescriptionList } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { Flag } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { StatusTag } from '@/ui/StatusTag';

type User = Schemas['User'];

export function Access({ user }: { user: User }) {
  const hasPermission = useHasPermission();
  return (
    <div className="record-grid">
      {hasPermission('view payment methods') && <PaymentMethods user={user} />}
      <ApiKey user={user} />
    </div>
  );
}

const methodValuesOf = (methods: readonly { id: number; is_offered: boolean }[]) =>
  Object.fromEntries(methods.map(({ id, is_offered }) => [id, checkbox.format(is_offered)]));

/** The payment methods of a customer. A customer without chosen methods has the methods of new users. */
function PaymentMethods({ user }: { user: User }) {
  const { t } = useTranslation();
  const [selecting, setSelecting] = useState(false);
  const path = { path: { id: user.id } };
  const read = async () => (await unwrap(api.GET('/api/v1/admin/users/{id}/payment-methods', { params: path }))).data;
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'methods', user.id],
    queryFn: read,
  });
  const selected = data?.filter((method) => method.is_offered) ?? [];
  return (
    <Card
      title={t('users.access.methods')}
      aside={
        user.actions.editable &&
        data && <Button icon="pencil" label={t('users.access.choose')} onClick={() => setSelecting(true)} />
      }
    >
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data && selected.length === 0 && <p className="none">{t('users.access.asNew')}</p>}
      {selected.length > 0 && (
        <ul className="plain-list">
          {selected.map((method) => (
            <li key={method.id}>
              {method.name} {!method.is_enabled && <StatusTag status="disabled" />}
            </li>
          ))}
        </ul>
      )}
      {selecting && data && (
        <FormDialog
          title={t('users.access.choose')}
          confirm={t('ui.save')}
          fields={data.map((method) => ({ name: String(method.id), label: method.name, mode: 'checkbox' as const }))}
          initial={methodValuesOf(data)}
          // The list has no `updated_at`, so the form reads it again before it is sent.
          reload={async () => methodValuesOf(await read())}
          unversionedLists={data.map((method) => String(method.id))}
          send={({ values }) => {
            const ids = data.map((method) => method.id).filter((id) => isChecked(values[id]));
            const body = { payment_methods: ids };
            return unwrap(api.PATCH('/api/v1/admin/users/{id}/sync-payment-methods', { params: path, body }));
          }}
          invalidates={[['users']]}
          onClose={() => setSelecting(false)}
        />
      )}
    </Card>
  );
}

/** The API key of a customer. A new key is shown once, right after it is created. */
function ApiKey({ user }: { user: User }) {
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState<'make' | 'remove' | null>(null);
  const [key, setKey] = useState<string | null>(null);
  const params = { path: { id: user.id } };
  const submission = useSubmit({
    send: async (operation: 'make' | 'remove') => {
      if (operation === 'make') {
        return (await unwrap(api.POST('/api/v1/admin/users/{id}/api-key', { params }))).data.key;
      }
      await unwrap(api.DELETE('/api/v1/admin/users/{id}/api-key', { params }));
      return null;
    },
    success: (key) => (key === null ? t('users.access.removed') : null),
    invalidates: [['users']],
    showProblemAs: 'toast',
    onDone: (newKey) => {
      setConfirming(null);
      if (newKey !== null) setKey(newKey);
    },
    onProblem: () => setConfirming(null),
  });
  return (
    <Card
      title={t('users.access.apiKey')}
      aside={
        user.actions.api_key && (
          <span className="record-actions">
            <Button icon="key" label={t('users.access.make')} onClick={() => setConfirming('make')} />
            {user.has_api_key && (
              <Button
                icon="trash"
                tone="danger"
                label={t('users.access.remove')}
                onClick={() => setConfirming('remove')}
              />
            )}
          </span>
        )
      }
    >
      <DescriptionList
        rows={[
          [t('users.access.has'), <Flag key="has" on={user.has_api_key} />],
          [
            t('users.access.lastUsed'),
            user.api_key_last_used_at && (
              <span key="used">
                <DateTime at={user.api_key_last_used_at} /> · {user.api_key_last_used_ip}
              </span>
            ),
          ],
        ]}
      />
      {confirming && (
        <ConfirmActionDialog
          title={t(`users.access.${confirming}`)}
          cancelLabel={t('ui.cancel')}
          confirmLabel={t(`users.access.${confirming}`)}
          tone={confirming === 'remove' || user.has_api_key ? 'danger' : undefined}
          submission={submission}
          onConfirm={() => void submission.submit(confirming)}
          onClose={() => setConfirming(null)}
        >
          <p>{user.has_api_key ? t('users.access.oldStops') : t('users.access.shownOnce')}</p>
        </ConfirmActionDialog>
      )}
      {key && (
        <Dialog
          title={t('users.access.newKey')}
          onClose={() => setKey(null)}
          footer={<Button variant="filled" label={t('ui.done')} onClick={() => setKey(null)} data-autofocus />}
        >
          <p>{t('users.access.shownOnce')}</p>
          <p className="with-copy wraps">
            <code>{key}</code>
            <CopyButton text={key} />
          </p>
        </Dialog>
      )}
    </Card>
  );
}
