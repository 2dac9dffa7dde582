// The dialog that deletes a label. Before the user confirms, the dialog lists the services that have the label.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { createWriteOptionsWithPath, type WriteOptions } from '@/api/writeOptions';
import { DestructiveDialog } from '@/form/DestructiveDialog';
import { usePreviewedAction } from '@/form/usePreviewedAction';
import { fetchLabelServices, LabelServiceList } from './LabelServices';

/** Deletes the label. With `dryRun`, the server only checks whether it would delete the label. */
const deleteLabel = (id: number, options: WriteOptions) =>
  unwrap(api.DELETE('/api/v1/admin/services/labels/{id}', createWriteOptionsWithPath({ id }, options)));

interface Props {
  label: Schemas['LabelRow'];
  onClose: () => void;
  onDone: () => void;
}

export function DeleteLabelDialog({ label, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const deletion = usePreviewedAction({
    requestPreview: async (signal) => {
      const dryRun = deleteLabel(label.id, { dryRun: true, signal });
      const [services] = await Promise.all([fetchLabelServices(label.id, signal), dryRun]);
      return services;
    },
    runAction: (idempotencyKey) => deleteLabel(label.id, { dryRun: false, key: idempotencyKey }),
    successMessage: t('labels.deleted', { name: label.name }),
    onClose,
    onDone,
  });
  const services = deletion.preview;
  return (
    <DestructiveDialog
      action={deletion}
      title={t('labels.deleteNamed', { name: label.name })}
      cancelLabel={t('ui.keepIt')}
      confirmLabel={t('labels.delete')}
      onClose={onClose}
    >
      {label.is_custom_comments && <p>{t('labels.customCommentsWarning')}</p>}
      {!services && !deletion.problem && <p className="loading">{t('ui.loading')}</p>}
      {services && (services.length > 0 ? <LabelServiceList services={services} /> : <p>{t('labels.notUsed')}</p>)}
      <p className="preview-final">{t('ui.cannotBeUndone')}</p>
    </DestructiveDialog>
  );
}
