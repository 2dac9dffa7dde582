// A sign-in link asks before it signs in: whose session it begins, and whose it ends in this browser.
import { useTranslation } from 'react-i18next';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Notice, ProblemBar } from '@/ui/Notice';
import { Card } from './Card';
import { accept, decline, type Offer } from './handoff';
import { useSession } from './hooks';

export function HandoffPage({ offer }: { offer: Offer }) {
  const { t } = useTranslation();
  const { profile } = useSession();
  const { code, owner } = offer;
  const { submit, isPending, problem } = useSubmit({ send: () => accept(code) });
  if (!owner) {
    return (
      <Card title={t('session.title')}>
        <Notice icon="lock" title={t('session.handoff.over')} />
        <Button look="filled" label={t('session.signIn')} onClick={decline} />
      </Card>
    );
  }
  const { name, email } = owner;
  return (
    <Card title={t('session.handoff.title', { name })}>
      <p className="gate-note">{t('session.handoff.text', { name, email })}</p>
      {profile && <p className="gate-note">{t('session.handoff.replaces', { name: profile.name })}</p>}
      {problem && <ProblemBar problem={problem} />}
      <Button
        look="filled"
        label={t('session.handoff.go', { name })}
        busy={isPending}
        onClick={() => void submit()}
        onKeyDown={(event) => event.repeat && event.preventDefault()}
      />
      <Button
        label={profile ? t('session.handoff.stay', { name: profile.name }) : t('session.handoff.leave')}
        onClick={decline}
        data-autofocus
      />
    </Card>
  );
}
