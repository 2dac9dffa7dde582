// The access of a customer: the payment methods that are offered to the customer, and the customer's key for the reseller API.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { ConfirmActionDialog } from '@/form/ConfirmActionDialog';
import { checkboxCodec, isChecked } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { useSubmit } from '@/form/useSubmit';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { BooleanText } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
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

const toMethodValues = (methods: readonly { id: number; is_offered: boolean }[]) =>
  Object.fromEntries(methods.map(({ id, is_offered }) => [id, checkboxCodec.format(is_offered)]));

/** The payment methods that are offered to a customer. If staff selected none, these are the payment methods for new customers. */
function PaymentMethods({ user }: { user: User }) {
  const { t } = useTranslation();
  const [isSelecting, setIsSelecting] = useState(false);
  const params = { path: { id: user.id } };
  const fetchMethods = async () => (await unwrap(api.GET('/api/v1/admin/users/{id}/payment-methods', { params }))).data;
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'methods', user.id],
    queryFn: fetchMethods,
  });
  const offeredMethods = data?.filter((method) => method.is_offered) ?? [];
  return (
    <Card
      title={t('users.access.methods')}
      headerActions={
        user.actions.editable &&
        data && <Button icon="pencil" label={t('users.access.chooseMethods')} onClick={() => setIsSelecting(true)} />
      }
    >
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data && offeredMethods.length === 0 && <p className="none">{t('users.access.newCustomerMethods')}</p>}
      {offeredMethods.length > 0 && (
        <ul className="plain-list">
          {offeredMethods.map((method) => (
            <li key={method.id}>
              {method.name} {!method.is_enabled && <StatusTag status="disabled" />}
            </li>
          ))}
        </ul>
      )}
      {isSelecting && data && (
        <FormDialog
          title={t('users.access.chooseMethods')}
          confirmLabel={t('ui.save')}
          fields={data.map((method) => ({ name: String(method.id), label: method.name, mode: 'checkbox' as const }))}
          initialValues={toMethodValues(data)}
          // The list has no `updated_at`, so the form loads it again before it saves, to detect changes of other staff members.
          reload={async () => toMethodValues(await fetchMethods())}
          unversionedLists={data.map((method) => String(method.id))}
          send={({ values }) => {
            const ids = data.map((method) => method.id).filter((id) => isChecked(values[id]));
            const body = { payment_methods: ids };
            return unwrap(api.PATCH('/api/v1/admin/users/{id}/sync-payment-methods', { params, body }));
          }}
          invalidatedQueries={[['users']]}
          onClose={() => setIsSelecting(false)}
        />
      )}
    </Card>
  );
}

type KeyOperation = 'createKey' | 'revokeKey';

/** The API key of a customer. A new key is shown only once, in a dialog right after it is created. */
function ApiKey({ user }: { user: User }) {
  const { t } = useTranslation();
  const [pendingOperation, setPendingOperation] = useState<KeyOperation | null>(null);
  const [newKey, setNewKey] = useState<string | null>(null);
  const params = { path: { id: user.id } };
  const submission = useSubmit({
    send: async (operation: KeyOperation) => {
      if (operation === 'createKey') {
        return (await unwrap(api.POST('/api/v1/admin/users/{id}/api-key', { params }))).data.key;
      }
      await unwrap(api.DELETE('/api/v1/admin/users/{id}/api-key', { params }));
      return null;
    },
    successMessage: (createdKey) => (createdKey === null ? t('users.access.keyRevoked') : null),
    invalidatedQueries: [['users']],
    showProblemAs: 'toast',
    onDone: (createdKey) => {
      setPendingOperation(null);
      if (createdKey !== null) setNewKey(createdKey);
    },
    onProblem: () => setPendingOperation(null),
  });
  return (
    <Card
      title={t('users.access.apiKey')}
      headerActions={
        user.actions.api_key && (
          <span className="record-actions">
            <Button icon="key" label={t('users.access.createKey')} onClick={() => setPendingOperation('createKey')} />
            {user.has_api_key && (
              <Button
                icon="trash"
                tone="danger"
                label={t('users.access.revokeKey')}
                onClick={() => setPendingOperation('revokeKey')}
              />
            )}
          </span>
        )
      }
    >
      <DescriptionList
        rows={[
          [t('users.access.hasKey'), <BooleanText key="has" value={user.has_api_key} />],
          [
            t('users.access.lastUsed'),
            user.api_key_last_used_at && (
              <span key="used">
                <DateTime time={user.api_key_last_used_at} /> · {user.api_key_last_used_ip}
              </span>
            ),
          ],
        ]}
      />
      {pendingOperation && (
        <ConfirmActionDialog
          title={t(`users.access.${pendingOperation}`)}
          cancelLabel={t('ui.cancel')}
          confirmLabel={t(`users.access.${pendingOperation}`)}
          tone={pendingOperation === 'revokeKey' || user.has_api_key ? 'danger' : undefined}
          submission={submission}
          onConfirm={() => void submission.submit(pendingOperation)}
          onClose={() => setPendingOperation(null)}
        >
          <p>{user.has_api_key ? t('users.access.currentKeyStopsWarning') : t('users.access.shownOnceHint')}</p>
        </ConfirmActionDialog>
      )}
      {newKey && (
        <Dialog
          title={t('users.access.newKey')}
          onClose={() => setNewKey(null)}
          footer={<Button variant="filled" label={t('ui.done')} onClick={() => setNewKey(null)} data-autofocus />}
        >
          <p>{t('users.access.shownOnceHint')}</p>
          <p className="with-copy wraps">
            <code>{newKey}</code>
            <CopyButton text={newKey} />
          </p>
        </Dialog>
      )}
    </Card>
  );
}
