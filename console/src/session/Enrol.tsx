// What staff see whose role requires a second factor that they do not have: setting it up, or signing out.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Card } from './Card';
import { resume, signOut } from './calls';
import { AddPasskey } from './Passkeys';
import { hasPasskeys } from './passkey';
import { RecoveryCodes } from './RecoveryCodes';
import { SecondFactorSetup } from './SecondFactorSetup';

export function Enrol() {
  const { t } = useTranslation();
  const [adds, setAdds] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes) {
    return (
      <Card title={t('secondFactor.codes')}>
        <RecoveryCodes codes={codes} onDone={() => void resume()} />
      </Card>
    );
  }
  return (
    <Card title={t('secondFactor.enrol')}>
      <p className="gate-note">{t('secondFactor.enrolText')}</p>
      <SecondFactorSetup onDone={() => void resume()} />
      {hasPasskeys() && <Button icon="key" label={t('passkeys.instead')} onClick={() => setAdds(true)} />}
      {adds && (
        <AddPasskey
          onClose={() => setAdds(false)}
          onAdded={(made) => (made.length > 0 ? setCodes(made) : void resume())}
        />
      )}
      <Button look="plain" label={t('session.signOut')} onClick={() => void signOut()} />
    </Card>
  );
}
