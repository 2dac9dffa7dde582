// Asks before a record is deleted for good. A dry run says at once where it is in use, before the button can be pressed.
import { useTranslation } from 'react-i18next';
import type { How } from '@/api/how';
import { FinalDialog } from './FinalDialog';
import { usePreviewedAction } from './usePreviewedAction';

interface Props {
  name: string;
  /** Deletes it, or tries to. */
  remove: (how: How) => Promise<unknown>;
  /** What the dialog says instead of the usual; no toast says it again. */
  own?: { title: string; keep: string; confirm: string; about: string };
  onClose: () => void;
  onDone: () => void;
}

export function DeleteDialog({ name, remove, own, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const action = usePreviewedAction({
    preview: (signal) => remove({ dryRun: true, signal }),
    run: (key) => remove({ dryRun: false, key }),
    success: own ? undefined : t('deleting.done', { name }),
    onClose,
    onDone,
  });
  return (
    <FinalDialog
      action={action}
      title={own?.title ?? t('deleting.title', { name })}
      keep={own?.keep ?? t('deleting.keep')}
      confirm={own?.confirm ?? t('deleting.confirm')}
      onClose={onClose}
    >
      <p className="preview-final">{own?.about ?? t('deleting.about')}</p>
    </FinalDialog>
  );
}
