// What a customer may ask about their data: a copy of all of it, and its erasure, which nothing brings back. The panel
// says first what an erasure would do; the person types the customer's address before the button works.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { type How, initAt } from '@/api/how';
import { FinalDialog } from '@/form/FinalDialog';
import { usePreviewedAction } from '@/form/usePreviewedAction';
import { useSubmit } from '@/form/useSubmit';
import { count } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { download } from '@/ui/download';
import { SmallTable } from '@/ui/Facts';
import { Field } from '@/ui/Field';

type User = Schemas['User'];
type Table = Schemas['ErasureTable'];

/** Writes everything about a customer to a file. */
export function ExportData({ user }: { user: User }) {
  const { t } = useTranslation();
  const { submit, isPending } = useSubmit({
    send: () => {
      const path = { id: user.id };
      return unwrap(api.GET('/api/v1/admin/users/{id}/data-export', { params: { path }, parseAs: 'blob' as const }));
    },
    onDone: (file) => download(file, `customer-${user.id}.json`),
    shows: 'toast',
  });
  return (
    <Button icon="download" label={t('users.personalData.export')} busy={isPending} onClick={() => void submit()} />
  );
}

/** Asks the panel to erase a customer, or only what that would do. */
const erase = (id: number, how: How) => unwrap(api.POST('/api/v1/admin/users/{id}/erase', initAt({ id }, how)));

interface Props {
  user: Pick<User, 'id' | 'name' | 'email'>;
  /** Erases, or tries to. */
  run?: typeof erase;
  onClose: () => void;
  onDone: () => void;
}

export function EraseDialog({ user, run = erase, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim().toLowerCase() === user.email.toLowerCase();
  const action = usePreviewedAction({
    preview: async (signal) => (await run(user.id, { dryRun: true, signal })).data.tables,
    run: (key) => run(user.id, { dryRun: false, key }),
    unconfirmed: !isTyped && t('users.personalData.mismatch'),
    success: t('users.personalData.done'),
    onClose,
    onDone,
  });
  return (
    <FinalDialog
      action={action}
      title={t('users.personalData.title', { name: user.name })}
      keep={t('users.personalData.keep')}
      confirm={t('users.personalData.confirm')}
      wide
      onClose={onClose}
      confirmation={
        action.preview && (
          <Field label={t('users.personalData.type', { email: user.email })}>
            {(given) => (
              <input
                {...given}
                className="input"
                type="text"
                autoComplete="off"
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
        )
      }
    >
      <p className="preview-final">{t('users.personalData.about')}</p>
      {!action.preview && !action.problem && <p className="loading">{t('ui.loading')}</p>}
      {action.preview && <Plan tables={action.preview} />}
    </FinalDialog>
  );
}

/** What an erasure does, without the tables that have no record of the customer. */
function Plan({ tables }: { tables: readonly Table[] }) {
  const { t } = useTranslation();
  const what = ({ treatment, fields, note }: Table) =>
    [t(`users.personalData.${treatment}`), fields.join(', '), note].filter(Boolean).join(': ');
  return (
    <SmallTable
      label={t('users.personalData.what')}
      rows={tables.filter(({ records }) => records !== 0)}
      rowKey={({ table }) => table}
      empty=""
      columns={[
        { title: t('users.personalData.table'), cell: ({ table }) => <code>{table}</code> },
        {
          title: t('users.personalData.records'),
          align: 'end',
          cell: ({ records }) => (typeof records === 'number' ? count(records) : t('users.personalData.found')),
        },
        { title: t('users.personalData.what'), wraps: true, cell: what },
      ]}
    />
  );
}
