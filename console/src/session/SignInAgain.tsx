// The dialog for a session that has expired while a screen was open: the user signs in again, the screen stays unchanged, and the
// waiting requests are sent again.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { useSession } from './hooks';
import { SignInForm } from './SignInForm';
import { session } from './store';

export function SignInAgain() {
  const { t } = useTranslation();
  const { profile } = useSession();
  return (
    <Dialog
      title={t('session.sessionEnded')}
      onClose={() => session.end()}
      footer={<Button variant="plain" label={t('session.leaveWithoutSaving')} onClick={() => session.end()} />}
    >
      <p>{t('session.sessionEndedText')}</p>
      <SignInForm email={profile?.email ?? ''} />
    </Dialog>
  );
}
