// A dialog that asks the user to confirm the permanent deletion of a record. The confirm button is disabled until a dry run has
// checked that no other record uses this record.
import { useTranslation } from 'react-i18next';
import type { WriteOptions } from '@/api/writeOptions';
import { DestructiveDialog } from './DestructiveDialog';
import { usePreviewedAction } from './usePreviewedAction';

interface Props {
  name: string;
  /** Deletes the record; with `dryRun` it only checks whether the server would delete it. */
  deleteRecord: (options: WriteOptions) => Promise<unknown>;
  /** Texts that replace the default texts. If they are set, there is no success toast. */
  texts?: { title: string; cancel: string; confirm: string; description: string };
  onClose: () => void;
  onDone: () => void;
}

export function DeleteDialog({ name, deleteRecord, texts, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const action = usePreviewedAction({
    requestPreview: (signal) => deleteRecord({ dryRun: true, signal }),
    runAction: (key) => deleteRecord({ dryRun: false, key }),
    successMessage: texts ? undefined : t('deleteDialog.deleted', { name }),
    onClose,
    onDone,
  });
  return (
    <DestructiveDialog
      action={action}
      title={texts?.title ?? t('deleteDialog.title', { name })}
      cancelLabel={texts?.cancel ?? t('deleteDialog.cancel')}
      confirmLabel={texts?.confirm ?? t('deleteDialog.confirm')}
      onClose={onClose}
    >
      <p className="preview-final">{texts?.description ?? t('deleteDialog.description')}</p>
    </DestructiveDialog>
  );
}
