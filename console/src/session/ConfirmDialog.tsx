// Asks for the password again before something grave. What the person was doing waits behind it and goes on by itself.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, told } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { beside } from '@/ui/beside';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { confirmation } from './confirmation';
import { useSession } from './hooks';
import { PasswordField } from './PasswordField';

export function ConfirmDialog() {
  const { t } = useTranslation();
  const { profile } = useSession();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const leave = () => confirmation.settle(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await told(api.POST('/api/v1/profile/confirm', { body: { password } }));
      confirmation.settle(true);
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  const rest = beside(problem, (key) => key === 'password');
  return (
    <Dialog
      title={t('session.confirm.title')}
      onClose={leave}
      held={busy}
      footer={
        <>
          <Button label={t('ui.cancel')} onClick={leave} />
          <Button look="filled" type="submit" form="confirm-dialog" label={t('session.confirm.confirm')} busy={busy} />
        </>
      }
    >
      <form id="confirm-dialog" className="form" onSubmit={(event) => void submit(event)}>
        <p>{t('session.confirm.text')}</p>
        <input type="hidden" autoComplete="username" value={profile?.email ?? ''} readOnly />
        <PasswordField
          label={t('session.password')}
          value={password}
          onChange={setPassword}
          errors={problem?.fields.password}
          hasFocus
        />
        {rest && <ProblemBar problem={rest} />}
      </form>
    </Dialog>
  );
}
