// A dialog that asks the user to confirm that a record is deleted permanently. Before the button is enabled, a dry run checks that
// no other record uses this record.
import { useTranslation } from 'react-i18next';
import type { WriteOptions } from '@/api/writeOptions';
import { DestructiveDialog } from './DestructiveDialog';
import { usePreviewedAction } from './usePreviewedAction';

interface Props {
  name: string;
  /** Deletes the record; with `dryRun` it only checks whether the server would delete it. */
  remove: (options: WriteOptions) => Promise<unknown>;
  /** Texts that replace the default ones. With them there is no success toast. */
  texts?: { title: string; cancel: string; confirm: string; description: string };
  onClose: () => void;
  onDone: () => void;
}

export function DeleteDialog({ name, remove, texts, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const action = usePreviewedAction({
    preview: (signal) => remove({ dryRun: true, signal }),
    run: (key) => remove({ dryRun: false, key }),
    success: texts ? undefined : t('deleting.done', { name }),
    onClose,
    onDone,
  });
  return (
    <DestructiveDialog
      action={action}
      title={texts?.title ?? t('deleting.title', { name })}
      cancelLabel={texts?.cancel ?? t('deleting.keep')}
      confirmLabel={texts?.confirm ?? t('deleting.confirm')}
      onClose={onClose}
    >
      <p className="preview-final">{texts?.description ?? t('deleting.about')}</p>
    </DestructiveDialog>
  );
}
