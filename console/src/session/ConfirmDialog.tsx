// Asks for the password or a passkey before a sensitive action. What the person was doing waits behind it and goes on by itself.
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { beside } from '@/ui/beside';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { confirmation } from './confirmation';
import { useSession } from './hooks';
import { PasswordField } from './PasswordField';
import { hasPasskeys, provePasskey } from './passkey';

export function ConfirmDialog() {
  const { t } = useTranslation();
  const { profile } = useSession();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const leave = () => confirmation.settle(false);
  const [offersPasskey, setOffersPasskey] = useState(false);
  useEffect(() => {
    if (!hasPasskeys()) return;
    // Without an answer the password is still there.
    told(api.GET('/api/v1/profile/second-factor')).then(
      ({ data }) => setOffersPasskey(data.passkeys > 0),
      () => {},
    );
  }, []);
  const confirm = async (proof: () => Promise<Schemas['ConfirmInput']>) => {
    setBusy(true);
    setProblem(null);
    try {
      await told(api.POST('/api/v1/profile/confirm', { body: await proof() }));
      confirmation.settle(true);
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void confirm(async () => ({ password }));
  };
  const usePasskey = () => void confirm(async () => ({ passkey: await provePasskey(t) }));
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
      <form id="confirm-dialog" className="form" onSubmit={submit}>
        <p>{t('session.confirm.text')}</p>
        <input type="hidden" autoComplete="username" value={profile?.email ?? ''} readOnly />
        <PasswordField
          label={t('session.password')}
          value={password}
          onChange={setPassword}
          errors={problem?.fields.password}
          hasFocus
        />
        {offersPasskey && <Button icon="key" label={t('passkeys.use')} busy={busy} onClick={usePasskey} />}
        {rest && <ProblemBar problem={rest} />}
      </form>
    </Dialog>
  );
}
