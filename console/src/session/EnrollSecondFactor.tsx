// The page for staff who have no second factor although the panel or their role requires one: they must set one up or sign out.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { AuthCard } from './AuthCard';
import { AddPasskey } from './Passkeys';
import { supportsPasskeys } from './passkey';
import { RecoveryCodes } from './RecoveryCodes';
import { resumeSession, signOut } from './requests';
import { SecondFactorSetup } from './SecondFactorSetup';

export function EnrollSecondFactor() {
  const { t } = useTranslation();
  const [isAddingPasskey, setIsAddingPasskey] = useState(false);
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null);
  if (recoveryCodes) {
    return (
      <AuthCard title={t('secondFactor.recoveryCodes')}>
        <RecoveryCodes codes={recoveryCodes} onDone={() => void resumeSession()} />
      </AuthCard>
    );
  }
  return (
    <AuthCard title={t('secondFactor.enrollmentTitle')}>
      <p className="gate-note">{t('secondFactor.enrollmentText')}</p>
      <SecondFactorSetup onDone={() => void resumeSession()} />
      {supportsPasskeys() && (
        <Button icon="key" label={t('passkeys.usePasskeyInstead')} onClick={() => setIsAddingPasskey(true)} />
      )}
      {isAddingPasskey && (
        <AddPasskey
          onClose={() => setIsAddingPasskey(false)}
          onAdded={(newCodes) => (newCodes.length > 0 ? setRecoveryCodes(newCodes) : void resumeSession())}
        />
      )}
      <Button variant="plain" label={t('session.signOut')} onClick={() => void signOut()} />
    </AuthCard>
  );
}
