// Signing in. An address with `?token=` carries a single-use code instead, already used up before this is drawn.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Card } from './Card';
import { SignInForm } from './SignInForm';
import { useSettings } from './settings';

export function Login() {
  const { t } = useTranslation();
  const { needs_setup } = useSettings();
  return (
    <Card title={t('session.title')}>
      {needs_setup && <p className="gate-note">{t('session.needsSetup')}</p>}
      <SignInForm />
      {!needs_setup && <Link href="/forgot-password">{t('session.forgot.link')}</Link>}
    </Card>
  );
}
