// The export and the erasure of a customer's personal data. An erasure cannot be undone, so the dialog first shows the result of a
// dry run, and its confirm button is enabled only after the staff member has typed the email of the customer.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { createWriteOptionsWithPath, type WriteOptions } from '@/api/writeOptions';
import { DestructiveDialog } from '@/form/DestructiveDialog';
import { usePreviewedAction } from '@/form/usePreviewedAction';
import { useSubmit } from '@/form/useSubmit';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { download } from '@/ui/download';
import { Field } from '@/ui/Field';
import { SimpleTable } from '@/ui/SimpleTable';

type User = Schemas['User'];
type ErasureTable = Schemas['ErasureTable'];

/** Downloads all data of the customer as a JSON file. */
export function ExportDataButton({ user }: { user: User }) {
  const { t } = useTranslation();
  const { submit, isPending } = useSubmit({
    send: () => {
      const path = { id: user.id };
      return unwrap(api.GET('/api/v1/admin/users/{id}/data-export', { params: { path }, parseAs: 'blob' as const }));
    },
    onDone: (file) => download(file, `customer-${user.id}.json`),
    showProblemAs: 'toast',
  });
  return (
    <Button icon="download" label={t('users.personalData.export')} busy={isPending} onClick={() => void submit()} />
  );
}

/** Erases the personal data. With `dryRun` the server only returns the tables that an erasure would change. */
const eraseCustomer = (id: number, options: WriteOptions) =>
  unwrap(api.POST('/api/v1/admin/users/{id}/erase', createWriteOptionsWithPath({ id }, options)));

interface Props {
  user: Pick<User, 'id' | 'name' | 'email'>;
  /** The function that sends the dry run and the erasure. Tests replace it. */
  requestErasure?: typeof eraseCustomer;
  onClose: () => void;
  onDone: () => void;
}

export function EraseDialog({ user, requestErasure = eraseCustomer, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const [typedEmail, setTypedEmail] = useState('');
  const isConfirmed = typedEmail.trim().toLowerCase() === user.email.toLowerCase();
  const action = usePreviewedAction({
    requestPreview: async (signal) => (await requestErasure(user.id, { dryRun: true, signal })).data.tables,
    runAction: (key) => requestErasure(user.id, { dryRun: false, key }),
    missingConfirmation: !isConfirmed && t('users.personalData.emailMismatch'),
    successMessage: t('users.personalData.erasureStarted'),
    onClose,
    onDone,
  });
  return (
    <DestructiveDialog
      action={action}
      title={t('users.personalData.title', { name: user.name })}
      cancelLabel={t('users.personalData.cancel')}
      confirmLabel={t('users.personalData.confirm')}
      isWide
      onClose={onClose}
      confirmation={
        action.preview && (
          <Field label={t('users.personalData.typeEmail', { email: user.email })}>
            {(controlProps) => (
              <input
                {...controlProps}
                className="input"
                type="text"
                autoComplete="off"
                value={typedEmail}
                onChange={(event) => setTypedEmail(event.target.value)}
              />
            )}
          </Field>
        )
      }
    >
      <p className="preview-final">{t('users.personalData.warning')}</p>
      {!action.preview && !action.problem && <p className="loading">{t('ui.loading')}</p>}
      {action.preview && <ErasurePlan tables={action.preview} />}
    </DestructiveDialog>
  );
}

/** Shows what an erasure does with the records in each table. Tables without records of the customer are omitted. */
function ErasurePlan({ tables }: { tables: readonly ErasureTable[] }) {
  const { t } = useTranslation();
  const formatTreatment = ({ treatment, fields, note }: ErasureTable) =>
    [t(`users.personalData.${treatment}`), fields.join(', '), note].filter(Boolean).join(': ');
  return (
    <SimpleTable
      label={t('users.personalData.treatment')}
      rows={tables.filter(({ records }) => records !== 0)}
      getRowKey={({ table }) => table}
      emptyText=""
      columns={[
        { title: t('users.personalData.table'), renderCell: ({ table }) => <code>{table}</code> },
        {
          title: t('users.personalData.records'),
          align: 'end',
          renderCell: ({ records }) =>
            typeof records === 'number' ? formatNumber(records) : t('users.personalData.countedDuringErasure'),
        },
        { title: t('users.personalData.treatment'), isNarrow: true, renderCell: formatTreatment },
      ]}
    />
  );
}
