// Asks before a label is deleted, and lists the services that lose it.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { type How, initAt } from '@/api/how';
import { FinalDialog } from '@/form/FinalDialog';
import { usePreviewedAction } from '@/form/usePreviewedAction';
import { UsedServices, usedServices } from './UsedBy';

/** Deletes a label, or only tries to. */
const remove = (id: number, how: How) => unwrap(api.DELETE('/api/v1/admin/services/labels/{id}', initAt({ id }, how)));

interface Props {
  label: Schemas['LabelRow'];
  onClose: () => void;
  onDone: () => void;
}

export function DeleteLabel({ label, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const action = usePreviewedAction({
    preview: async (signal) => {
      const tried = remove(label.id, { dryRun: true, signal });
      const [services] = await Promise.all([usedServices(label.id, signal), tried]);
      return services;
    },
    run: (key) => remove(label.id, { dryRun: false, key }),
    success: t('labels.deleted', { name: label.name }),
    onClose,
    onDone,
  });
  const services = action.preview;
  return (
    <FinalDialog
      action={action}
      title={t('labels.deleteOne', { name: label.name })}
      keep={t('labels.keep')}
      confirm={t('labels.delete')}
      onClose={onClose}
    >
      {label.is_custom_comments && <p>{t('labels.customWarning')}</p>}
      {!services && !action.problem && <p className="loading">{t('ui.loading')}</p>}
      {services && (services.length > 0 ? <UsedServices services={services} /> : <p>{t('labels.unused')}</p>)}
      <p className="preview-final">{t('labels.noWayBack')}</p>
    </FinalDialog>
  );
}
