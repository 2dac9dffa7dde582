// What a customer may use: the payment methods they are offered, and their key to the reseller API.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { AskDialog } from '@/form/AskDialog';
import { isOn, tick } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { useSubmit } from '@/form/useSubmit';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { Flag } from '@/ui/cells';
import { Dialog } from '@/ui/Dialog';
import { Facts, Panel } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';

type User = Schemas['User'];

export function Access({ user }: { user: User }) {
  const may = useMay();
  return (
    <div className="record-grid">
      {may('view payment methods') && <Methods user={user} />}
      <ApiKey user={user} />
    </div>
  );
}

const offered = (methods: readonly { id: number; is_offered: boolean }[]) =>
  Object.fromEntries(methods.map(({ id, is_offered }) => [id, tick.format(is_offered)]));

/** The methods chosen for a customer; none chosen are those that new users have. */
function Methods({ user }: { user: User }) {
  const { t } = useTranslation();
  const [choosing, setChoosing] = useState(false);
  const path = { path: { id: user.id } };
  const read = async () => (await unwrap(api.GET('/api/v1/admin/users/{id}/payment-methods', { params: path }))).data;
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'methods', user.id],
    queryFn: read,
  });
  const chosen = data?.filter((method) => method.is_offered) ?? [];
  return (
    <Panel
      title={t('users.access.methods')}
      aside={
        user.actions.editable &&
        data && <Button icon="pencil" label={t('users.access.choose')} onClick={() => setChoosing(true)} />
      }
    >
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data && chosen.length === 0 && <p className="none">{t('users.access.asNew')}</p>}
      {chosen.length > 0 && (
        <ul className="plain-list">
          {chosen.map((method) => (
            <li key={method.id}>
              {method.name} {!method.is_enabled && <StatusTag status="disabled" />}
            </li>
          ))}
        </ul>
      )}
      {choosing && data && (
        <FormDialog
          title={t('users.access.choose')}
          confirm={t('ui.save')}
          fields={data.map((method) => ({ name: String(method.id), label: method.name, mode: 'tick' as const }))}
          initial={offered(data)}
          // One list without a stamp.
          reload={async () => offered(await read())}
          unguarded={data.map((method) => String(method.id))}
          send={({ values }) => {
            const ids = data.map((method) => method.id).filter((id) => isOn(values[id]));
            const body = { payment_methods: ids };
            return unwrap(api.PATCH('/api/v1/admin/users/{id}/sync-payment-methods', { params: path, body }));
          }}
          invalidates={[['users']]}
          onClose={() => setChoosing(false)}
        />
      )}
    </Panel>
  );
}

/** A key is shown once, right after it is made. */
function ApiKey({ user }: { user: User }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<'make' | 'remove' | null>(null);
  const [key, setKey] = useState<string | null>(null);
  const params = { path: { id: user.id } };
  const submission = useSubmit({
    send: async (what: 'make' | 'remove') => {
      if (what === 'make') {
        return (await unwrap(api.POST('/api/v1/admin/users/{id}/api-key', { params }))).data.key;
      }
      await unwrap(api.DELETE('/api/v1/admin/users/{id}/api-key', { params }));
      return null;
    },
    success: (key) => (key === null ? t('users.access.removed') : null),
    invalidates: [['users']],
    shows: 'toast',
    onDone: (made) => {
      setAsked(null);
      if (made !== null) setKey(made);
    },
    onProblem: () => setAsked(null),
  });
  return (
    <Panel
      title={t('users.access.apiKey')}
      aside={
        user.actions.api_key && (
          <span className="record-actions">
            <Button icon="key" label={t('users.access.make')} onClick={() => setAsked('make')} />
            {user.has_api_key && (
              <Button icon="trash" tone="danger" label={t('users.access.remove')} onClick={() => setAsked('remove')} />
            )}
          </span>
        )
      }
    >
      <Facts
        rows={[
          [t('users.access.has'), <Flag key="has" on={user.has_api_key} />],
          [
            t('users.access.lastUsed'),
            user.api_key_last_used_at && (
              <span key="used">
                <When at={user.api_key_last_used_at} /> · {user.api_key_last_used_ip}
              </span>
            ),
          ],
        ]}
      />
      {asked && (
        <AskDialog
          title={t(`users.access.${asked}`)}
          keep={t('ui.cancel')}
          confirm={t(`users.access.${asked}`)}
          tone={asked === 'remove' || user.has_api_key ? 'danger' : undefined}
          submission={submission}
          onConfirm={() => void submission.submit(asked)}
          onClose={() => setAsked(null)}
        >
          <p>{user.has_api_key ? t('users.access.oldStops') : t('users.access.shownOnce')}</p>
        </AskDialog>
      )}
      {key && (
        <Dialog
          title={t('users.access.newKey')}
          onClose={() => setKey(null)}
          footer={<Button look="filled" label={t('ui.done')} onClick={() => setKey(null)} data-autofocus />}
        >
          <p>{t('users.access.shownOnce')}</p>
          <p className="with-copy wraps">
            <code>{key}</code>
            <CopyButton text={key} />
          </p>
        </Dialog>
      )}
    </Panel>
  );
}
