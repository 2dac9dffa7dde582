// The dialog that deletes a label. It lists the services that have the label before the user confirms.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { type WriteOptions, writeInitWithPath } from '@/api/writeOptions';
import { DestructiveDialog } from '@/form/DestructiveDialog';
import { usePreviewedAction } from '@/form/usePreviewedAction';
import { fetchLabelServices, ServiceList } from './LabelServices';

/** Deletes the label; with `dryRun` the server only checks whether it would delete it. */
const deleteLabel = (id: number, options: WriteOptions) =>
  unwrap(api.DELETE('/api/v1/admin/services/labels/{id}', writeInitWithPath({ id }, options)));

interface Props {
  label: Schemas['LabelRow'];
  onClose: () => void;
  onDone: () => void;
}

export function DeleteLabel({ label, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const action = usePreviewedAction({
    preview: async (signal) => {
      const dryRun = deleteLabel(label.id, { dryRun: true, signal });
      const [services] = await Promise.all([fetchLabelServices(label.id, signal), dryRun]);
      return services;
    },
    run: (key) => deleteLabel(label.id, { dryRun: false, key }),
    success: t('labels.deleted', { name: label.name }),
    onClose,
    onDone,
  });
  const services = action.preview;
  return (
    <DestructiveDialog
      action={action}
      title={t('labels.deleteOne', { name: label.name })}
      cancelLabel={t('labels.keep')}
      confirmLabel={t('labels.delete')}
      onClose={onClose}
    >
      {label.is_custom_comments && <p>{t('labels.customWarning')}</p>}
      {!services && !action.problem && <p className="loading">{t('ui.loading')}</p>}
      {services && (services.length > 0 ? <ServiceList services={services} /> : <p>{t('labels.unused')}</p>)}
      <p className="preview-final">{t('labels.noWayBack')}</p>
    </DestructiveDialog>
  );
}
