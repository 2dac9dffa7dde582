// The sign-in page. A URL with a single-use code (`token`) is handled by `handoff` before this renders.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { AuthCard } from './AuthCard';
import { SignInForm } from './SignInForm';
import { useSettings } from './settings';

export function Login() {
  const { t } = useTranslation();
  const { needs_setup } = useSettings();
  return (
    <AuthCard title={t('session.title')}>
      {needs_setup && <p className="gate-note">{t('session.needsSetup')}</p>}
      <SignInForm />
      {!needs_setup && <Link href="/forgot-password">{t('session.forgot.link')}</Link>}
    </AuthCard>
  );
}
