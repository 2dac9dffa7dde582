// The page of a password link from an email. It shows the account and sets a new password, but must not sign the user in.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { asProblem } from '@/api/problem';
import { getBarProblem } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Notice, ProblemBar } from '@/ui/Notice';
import { AuthCard } from './AuthCard';
import { PasswordField } from './PasswordField';
import { getPasswordLinkToken } from './passwordLinkToken';
import { fetchPasswordLink, setPasswordByLink } from './requests';

export function SetPassword() {
  const { t } = useTranslation();
  const token = getPasswordLinkToken() ?? '';
  const [isPasswordSet, setIsPasswordSet] = useState(false);
  const query = useQuery({
    queryKey: ['password-link'],
    queryFn: () => fetchPasswordLink(token),
    enabled: token !== '' && !isPasswordSet,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  // If the user opens another link in this tab, only the fragment of the URL changes, so the page must be reloaded.
  useEffect(() => {
    const reload = () => location.reload();
    window.addEventListener('hashchange', reload);
    return () => window.removeEventListener('hashchange', reload);
  }, []);
  const problem = query.error ? asProblem(query.error) : null;
  const isLinkExpired = token === '' || problem?.code === 'link_over';
  const signInLink = <Link href="/login">{t('session.signIn')}</Link>;
  if (isPasswordSet) {
    return (
      <AuthCard title={t('session.passwordLink.title')}>
        <Notice
          icon="check-circle"
          title={t('session.passwordLink.passwordSet')}
          text={t('session.passwordLink.passwordSetText')}
        />
        {signInLink}
      </AuthCard>
    );
  }
  if (isLinkExpired || problem) {
    return (
      <AuthCard title={t('session.passwordLink.title')}>
        {isLinkExpired ? (
          <Notice icon="lock" title={t('session.passwordLink.expired')} text={t('session.passwordLink.expiredText')} />
        ) : (
          problem && <ProblemBar problem={problem} onRetry={() => void query.refetch()} />
        )}
        <Link href="/forgot-password">{t('session.forgotPassword.link')}</Link>
      </AuthCard>
    );
  }
  const passwordLink = query.data;
  return (
    <AuthCard title={t('session.passwordLink.title')}>
      {passwordLink ? (
        <>
          <p className="gate-note">
            {t('session.passwordLink.text', { name: passwordLink.name, email: passwordLink.email })}
          </p>
          <NewPasswordForm token={token} email={passwordLink.email} onDone={() => setIsPasswordSet(true)} />
        </>
      ) : (
        <p className="loading">{t('ui.loading')}</p>
      )}
    </AuthCard>
  );
}

function NewPasswordForm({ token, email, onDone }: { token: string; email: string; onDone: () => void }) {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const { submit, isPending, problem, errors } = useSubmit({
    send: () => setPasswordByLink(token, password, email),
    onDone,
  });
  const barProblem = getBarProblem(problem, (key) => key === 'password');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  return (
    <form className="form" onSubmit={onSubmit}>
      {/* Password managers store the new password with this email. */}
      <input className="sr" type="email" autoComplete="username" readOnly tabIndex={-1} aria-hidden value={email} />
      <PasswordField
        label={t('session.newPassword')}
        hint={t('session.passwordHint')}
        value={password}
        onChange={setPassword}
        errors={errors.password}
        isNew
      />
      {barProblem && <ProblemBar problem={barProblem} />}
      <Button
        variant="filled"
        type="submit"
        label={t('session.passwordLink.setPassword')}
        busy={isPending}
        className="wide"
      />
    </form>
  );
}
