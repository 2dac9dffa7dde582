// The section of the user's profile in which the user adds, renames and removes passkeys.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { FormDialog } from '@/form/FormDialog';
import { Button } from '@/ui/Button';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { SimpleTable } from '@/ui/SimpleTable';
import { toast } from '@/ui/toasts';
import { createPasskey, supportsPasskeys } from './passkey';
import { ReauthenticationDialog } from './ReauthenticationDialog';

type Passkey = Schemas['Passkey'];

const PASSKEYS_KEY = ['passkeys'];

interface Props {
  /** Called after a passkey was added or removed. */
  onChange: () => void;
  /** Called with the recovery codes that are created with the first second factor. */
  onRecoveryCodes: (codes: readonly string[]) => void;
}

export function Passkeys({ onChange, onRecoveryCodes }: Props) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: PASSKEYS_KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/profile/passkeys'))).data,
  });
  const [openDialog, setOpenDialog] = useState<'add' | { action: 'rename' | 'remove'; passkey: Passkey } | null>(null);
  const passkeys = query.data ?? [];
  const finish = (text: string) => {
    setOpenDialog(null);
    toast({ tone: 'success', text });
    void queryClient.invalidateQueries({ queryKey: PASSKEYS_KEY });
    onChange();
  };
  return (
    <section className="passkeys">
      <h2>{t('passkeys.title')}</h2>
      <p className="hint">{t('passkeys.description')}</p>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.isPending && <p className="hint">{t('ui.loading')}</p>}
      {passkeys.length > 0 && (
        <PasskeyTable passkeys={passkeys} onSelect={(action, passkey) => setOpenDialog({ action, passkey })} />
      )}
      {supportsPasskeys() ? (
        <div className="record-actions">
          <Button icon="key" label={t('passkeys.add')} onClick={() => setOpenDialog('add')} />
        </div>
      ) : (
        <p className="hint">{t('passkeys.unsupported')}</p>
      )}
      {openDialog === 'add' && (
        <AddPasskey
          onClose={() => setOpenDialog(null)}
          onAdded={(codes) => {
            finish(t('passkeys.added'));
            if (codes.length > 0) onRecoveryCodes(codes);
          }}
        />
      )}
      {openDialog && openDialog !== 'add' && (
        <ChangePasskey {...openDialog} onClose={() => setOpenDialog(null)} onDone={finish} />
      )}
    </section>
  );
}

interface PasskeyTableProps {
  passkeys: readonly Passkey[];
  onSelect: (action: 'rename' | 'remove', passkey: Passkey) => void;
}

function PasskeyTable({ passkeys, onSelect }: PasskeyTableProps) {
  const { t } = useTranslation();
  const renderButton = (icon: string, action: 'rename' | 'remove', passkey: Passkey) => (
    <Button
      variant="plain"
      iconOnly
      icon={icon}
      label={t(`passkeys.${action}Named`, { name: passkey.name })}
      onClick={() => onSelect(action, passkey)}
    />
  );
  return (
    <section className="card">
      <SimpleTable
        label={t('passkeys.title')}
        rows={passkeys}
        getRowKey={({ id }) => id}
        emptyText=""
        columns={[
          { title: t('passkeys.name'), isNarrow: true, renderCell: ({ name }) => name },
          { title: t('passkeys.addedAt'), renderCell: ({ created_at }) => <DateTime time={created_at} /> },
          {
            title: t('profile.lastUsed'),
            renderCell: ({ last_used_at }) =>
              last_used_at ? <DateTime time={last_used_at} /> : t('passkeys.neverUsed'),
          },
          {
            title: '',
            align: 'end',
            renderCell: (passkey) => (
              <>
                {renderButton('pencil', 'rename', passkey)}
                {renderButton('trash', 'remove', passkey)}
              </>
            ),
          },
        ]}
      />
    </section>
  );
}

export function AddPasskey({ onAdded, onClose }: { onAdded: (codes: readonly string[]) => void; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('passkeys.add')}
      confirmLabel={t('passkeys.add')}
      fields={[{ name: 'name', label: t('passkeys.name'), hint: t('passkeys.nameHint'), maxLength: 60 }]}
      initialValues={{ name: '' }}
      send={async ({ values: { name = '' } }) => {
        const { data: challenge } = await unwrap(api.POST('/api/v1/profile/passkeys/begin'));
        const body = { name, ...(await createPasskey(challenge, t)) };
        return (await unwrap(api.POST('/api/v1/profile/passkeys', { body }))).data;
      }}
      onDone={({ recovery_codes }) => onAdded(recovery_codes)}
      onClose={onClose}
    />
  );
}

interface ChangePasskeyProps {
  action: 'rename' | 'remove';
  passkey: Passkey;
  onClose: () => void;
  /** Called with the text of the toast. */
  onDone: (text: string) => void;
}

function ChangePasskey({ action, passkey, onClose, onDone }: ChangePasskeyProps) {
  const { t } = useTranslation();
  const params = { path: { id: passkey.id } };
  const title = t(`passkeys.${action}Named`, { name: passkey.name });
  if (action === 'remove') {
    return (
      <ReauthenticationDialog
        title={title}
        confirmLabel={t('passkeys.remove')}
        onClose={onClose}
        onConfirm={async (body) => {
          await unwrap(api.DELETE('/api/v1/profile/passkeys/{id}', { params, body }));
          onDone(t('passkeys.removed'));
        }}
      />
    );
  }
  return (
    <FormDialog
      title={title}
      confirmLabel={t('passkeys.rename')}
      fields={[{ name: 'name', label: t('passkeys.name'), maxLength: 60 }]}
      initialValues={{ name: passkey.name }}
      send={({ values: { name = '' } }) =>
        unwrap(api.PATCH('/api/v1/profile/passkeys/{id}', { params, body: { name } }))
      }
      onDone={() => onDone(t('passkeys.renamed'))}
      onClose={onClose}
    />
  );
}
