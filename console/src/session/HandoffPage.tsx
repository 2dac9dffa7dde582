// The page of a sign-in link. Before the link signs in, it asks the user, and shows which account is signed in and which is signed
// out.
import { useTranslation } from 'react-i18next';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Notice, ProblemBar } from '@/ui/Notice';
import { AuthCard } from './AuthCard';
import { acceptHandoff, declineHandoff, type HandoffOffer } from './handoff';
import { useSession } from './hooks';

export function HandoffPage({ offer }: { offer: HandoffOffer }) {
  const { t } = useTranslation();
  const { profile } = useSession();
  const { code, owner } = offer;
  const { submit, isPending, problem } = useSubmit({ send: () => acceptHandoff(code) });
  if (!owner) {
    return (
      <AuthCard title={t('session.title')}>
        <Notice icon="lock" title={t('session.handoff.over')} />
        <Button variant="filled" label={t('session.signIn')} onClick={declineHandoff} />
      </AuthCard>
    );
  }
  const { name, email } = owner;
  return (
    <AuthCard title={t('session.handoff.title', { name })}>
      <p className="gate-note">{t('session.handoff.text', { name, email })}</p>
      {profile && <p className="gate-note">{t('session.handoff.replaces', { name: profile.name })}</p>}
      {problem && <ProblemBar problem={problem} />}
      <Button
        variant="filled"
        label={t('session.handoff.go', { name })}
        busy={isPending}
        onClick={() => void submit()}
        onKeyDown={(event) => event.repeat && event.preventDefault()}
      />
      <Button
        label={profile ? t('session.handoff.stay', { name: profile.name }) : t('session.handoff.leave')}
        onClick={declineHandoff}
        data-autofocus
      />
    </AuthCard>
  );
}
