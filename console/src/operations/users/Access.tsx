// What a customer may use: the payment methods they are offered, and their key to the reseller API.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { Flag } from '@/ui/cells';
import { Dialog } from '@/ui/Dialog';
import { Facts, Panel } from '@/ui/Facts';
import { FormDialog } from '@/ui/FormDialog';
import { ProblemBar } from '@/ui/Notice';
import { StatusTag } from '@/ui/StatusTag';
import { toast } from '@/ui/toasts';
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

/** The methods chosen for a customer; none chosen are those that new users have. */
function Methods({ user }: { user: User }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [choosing, setChoosing] = useState(false);
  const path = { path: { id: user.id } };
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'methods', user.id],
    queryFn: async () => (await told(api.GET('/api/v1/admin/users/{id}/payment-methods', { params: path }))).data,
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
          initial={Object.fromEntries(data.map((method) => [method.id, method.is_offered ? 'yes' : '']))}
          onClose={() => setChoosing(false)}
          onSave={async (values) => {
            const ids = data.map((method) => method.id).filter((id) => values[id] === 'yes');
            const body = { payment_methods: ids };
            await told(api.PATCH('/api/v1/admin/users/{id}/sync-payment-methods', { params: path, body }));
            await queries.invalidateQueries({ queryKey: ['users'] });
          }}
        />
      )}
    </Panel>
  );
}

/** A key is shown once, right after it is made. */
function ApiKey({ user }: { user: User }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<'make' | 'remove' | null>(null);
  const [key, setKey] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const params = { path: { id: user.id } };
  const changed = () => queries.invalidateQueries({ queryKey: ['users'] });
  const run = async () => {
    setBusy(true);
    try {
      if (asked === 'make') {
        const made = await told(api.POST('/api/v1/admin/users/{id}/api-key', { params }));
        setKey(made.data.key);
      } else {
        await told(api.DELETE('/api/v1/admin/users/{id}/api-key', { params }));
        toast({ tone: 'success', text: t('users.access.removed') });
      }
      await changed();
    } catch (error) {
      toast({ tone: 'error', text: asProblem(error).message });
    } finally {
      setBusy(false);
      setAsked(null);
    }
  };
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
        <Dialog
          title={t(`users.access.${asked}`)}
          role="alertdialog"
          onClose={() => setAsked(null)}
          held={busy}
          footer={
            <>
              <Button label={t('ui.cancel')} onClick={() => setAsked(null)} data-autofocus />
              <Button
                look="filled"
                tone={asked === 'remove' || user.has_api_key ? 'danger' : undefined}
                label={t(`users.access.${asked}`)}
                busy={busy}
                onClick={() => void run()}
                onKeyDown={(event) => event.repeat && event.preventDefault()}
              />
            </>
          }
        >
          <p>{user.has_api_key ? t('users.access.oldStops') : t('users.access.shownOnce')}</p>
        </Dialog>
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
