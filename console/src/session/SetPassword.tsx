// The page that a link from an email opens: whose password it sets, and the new one. It does not sign in.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { asProblem } from '@/api/problem';
import { beside } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Notice, ProblemBar } from '@/ui/Notice';
import { Card } from './Card';
import { setPasswordByLink, showPasswordLink } from './calls';
import { linkToken } from './linkToken';
import { PasswordField } from './PasswordField';

export function SetPassword() {
  const { t } = useTranslation();
  const token = linkToken() ?? '';
  const [isSet, setIsSet] = useState(false);
  const query = useQuery({
    queryKey: ['password-link'],
    queryFn: () => showPasswordLink(token),
    enabled: token !== '' && !isSet,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  // Another link that is opened in this tab changes the fragment only.
  useEffect(() => {
    const reload = () => location.reload();
    window.addEventListener('hashchange', reload);
    return () => window.removeEventListener('hashchange', reload);
  }, []);
  const refused = query.error ? asProblem(query.error) : null;
  const isOver = token === '' || refused?.code === 'link_over';
  const signIn = <Link href="/login">{t('session.signIn')}</Link>;
  if (isSet) {
    return (
      <Card title={t('session.link.title')}>
        <Notice icon="check-circle" title={t('session.link.done')} text={t('session.link.doneText')} />
        {signIn}
      </Card>
    );
  }
  if (isOver || refused) {
    return (
      <Card title={t('session.link.title')}>
        {isOver ? (
          <Notice icon="lock" title={t('session.link.over')} text={t('session.link.overText')} />
        ) : (
          refused && <ProblemBar problem={refused} onRetry={() => void query.refetch()} />
        )}
        <Link href="/forgot-password">{t('session.forgot.link')}</Link>
      </Card>
    );
  }
  const link = query.data;
  return (
    <Card title={t('session.link.title')}>
      {link ? (
        <>
          <p className="gate-note">{t('session.link.text', { name: link.name, email: link.email })}</p>
          <NewPassword token={token} email={link.email} onDone={() => setIsSet(true)} />
        </>
      ) : (
        <p className="loading">{t('ui.loading')}</p>
      )}
    </Card>
  );
}

function NewPassword({ token, email, onDone }: { token: string; email: string; onDone: () => void }) {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const { submit, isPending, problem, errors } = useSubmit({
    send: () => setPasswordByLink(token, password, email),
    onDone,
  });
  const rest = beside(problem, (key) => key === 'password');
  const set = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  return (
    <form className="form" onSubmit={set}>
      {/* For password managers, which keep the new password with it. */}
      <input className="sr" type="email" autoComplete="username" readOnly tabIndex={-1} aria-hidden value={email} />
      <PasswordField
        label={t('session.newPassword')}
        hint={t('session.passwordHint')}
        value={password}
        onChange={setPassword}
        errors={errors.password}
        isNew
      />
      {rest && <ProblemBar problem={rest} />}
      <Button look="filled" type="submit" label={t('session.link.set')} busy={isPending} className="wide" />
    </form>
  );
}
