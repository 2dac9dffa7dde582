// Shown to staff whose role requires a second factor that they do not have: set it up, or sign out.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { AuthCard } from './AuthCard';
import { resumeSession, signOut } from './calls';
import { AddPasskey } from './Passkeys';
import { supportsPasskeys } from './passkey';
import { RecoveryCodes } from './RecoveryCodes';
import { SecondFactorSetup } from './SecondFactorSetup';

export function EnrollSecondFactor() {
  const { t } = useTranslation();
  const [isAddingPasskey, setIsAddingPasskey] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes) {
    return (
      <AuthCard title={t('secondFactor.codes')}>
        <RecoveryCodes codes={codes} onDone={() => void resumeSession()} />
      </AuthCard>
    );
  }
  return (
    <AuthCard title={t('secondFactor.enrol')}>
      <p className="gate-note">{t('secondFactor.enrolText')}</p>
      <SecondFactorSetup onDone={() => void resumeSession()} />
      {supportsPasskeys() && (
        <Button icon="key" label={t('passkeys.instead')} onClick={() => setIsAddingPasskey(true)} />
      )}
      {isAddingPasskey && (
        <AddPasskey
          onClose={() => setIsAddingPasskey(false)}
          onAdded={(recoveryCodes) => (recoveryCodes.length > 0 ? setCodes(recoveryCodes) : void resumeSession())}
        />
      )}
      <Button variant="plain" label={t('session.signOut')} onClick={() => void signOut()} />
    </AuthCard>
  );
}
