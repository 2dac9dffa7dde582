// The sign-in page. If the URL had a single-use code (`token`), `signInLink` has already removed it from the URL.
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
      {!needs_setup && <Link href="/forgot-password">{t('session.forgotPassword.link')}</Link>}
    </AuthCard>
  );
}
