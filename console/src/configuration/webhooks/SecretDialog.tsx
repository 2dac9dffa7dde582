// The dialog that shows a new webhook secret. The server returns a secret only once: when it creates or rotates the secret.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { Dialog } from '@/ui/Dialog';

export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      title={t('webhooks.secret.title')}
      onClose={onClose}
      footer={<Button variant="filled" label={t('webhooks.secret.confirmSaved')} onClick={onClose} />}
    >
      <p>{t('webhooks.secret.shownOnce')}</p>
      <p className="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label={t('webhooks.secret.copy')} />
      </p>
    </Dialog>
  );
}
