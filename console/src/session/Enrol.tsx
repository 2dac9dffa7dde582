// What staff see whose role requires a second factor that they do not have: setting it up, or signing out.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Card } from './Card';
import { resume, signOut } from './calls';
import { SecondFactorSetup } from './SecondFactorSetup';

export function Enrol() {
  const { t } = useTranslation();
  return (
    <Card title={t('secondFactor.enrol')}>
      <p className="gate-note">{t('secondFactor.enrolText')}</p>
      <SecondFactorSetup onDone={() => void resume()} />
      <Button look="plain" label={t('session.signOut')} onClick={() => void signOut()} />
    </Card>
  );
}
