// Asks before a record is deleted for good. A dry run says at once where it is in use, before the button can be pressed.
import { useTranslation } from 'react-i18next';
import { FinalDialog } from './FinalDialog';
import { usePreviewedAction } from './usePreviewedAction';

interface Props {
  name: string;
  /** Deletes it, or tries to. */
  remove: (how: { query: { dry_run?: '1' }; signal: AbortSignal | null }) => Promise<unknown>;
  onClose: () => void;
  onDone: () => void;
}

export function DeleteDialog({ name, remove, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const action = usePreviewedAction({
    preview: (signal) => remove({ query: { dry_run: '1' }, signal }),
    run: () => remove({ query: {}, signal: null }),
    success: t('deleting.done', { name }),
    onClose,
    onDone,
  });
  return (
    <FinalDialog
      action={action}
      title={t('deleting.title', { name })}
      keep={t('deleting.keep')}
      confirm={t('deleting.confirm')}
      onClose={onClose}
    >
      <p className="preview-final">{t('deleting.about')}</p>
    </FinalDialog>
  );
}
