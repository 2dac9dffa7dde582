// The page of a sign-in link. It shows which account the link signs in and which account it signs out, and asks the user to
// confirm.
import { useTranslation } from 'react-i18next';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Notice, ProblemBar } from '@/ui/Notice';
import { AuthCard } from './AuthCard';
import { useSession } from './hooks';
import { acceptSignInLink, declineSignInLink, type SignInLinkOffer } from './signInLink';

export function SignInLinkPage({ offer }: { offer: SignInLinkOffer }) {
  const { t } = useTranslation();
  const { profile } = useSession();
  const { code, owner } = offer;
  const { submit, isPending, problem } = useSubmit({ send: () => acceptSignInLink(code) });
  if (!owner) {
    return (
      <AuthCard title={t('session.title')}>
        <Notice icon="lock" title={t('session.signInLink.expired')} />
        <Button variant="filled" label={t('session.signIn')} onClick={declineSignInLink} />
      </AuthCard>
    );
  }
  const { name, email } = owner;
  return (
    <AuthCard title={t('session.signInLink.title', { name })}>
      <p className="gate-note">{t('session.signInLink.text', { name, email })}</p>
      {profile && <p className="gate-note">{t('session.signInLink.currentUser', { name: profile.name })}</p>}
      {problem && <ProblemBar problem={problem} />}
      <Button
        variant="filled"
        label={t('session.signInLink.continueAs', { name })}
        busy={isPending}
        onClick={() => void submit()}
        onKeyDown={(event) => event.repeat && event.preventDefault()}
      />
      <Button
        label={
          profile ? t('session.signInLink.staySignedInAs', { name: profile.name }) : t('session.signInLink.doNotSignIn')
        }
        onClick={declineSignInLink}
        data-autofocus
      />
    </AuthCard>
  );
}
