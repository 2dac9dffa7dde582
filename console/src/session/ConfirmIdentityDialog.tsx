// A dialog that asks for the password or a passkey before a sensitive action. After the confirmation, the waiting requests are sent
// again.
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { getBarProblem } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { confirmation } from './confirmation';
import { useSession } from './hooks';
import { PasswordField } from './PasswordField';
import { signNewChallenge, supportsPasskeys } from './passkey';

export function ConfirmIdentityDialog() {
  const { t } = useTranslation();
  const { profile } = useSession();
  const [password, setPassword] = useState('');
  const cancel = () => confirmation.resolve(false);
  const [hasPasskeys, setHasPasskeys] = useState(false);
  useEffect(() => {
    if (!supportsPasskeys()) return;
    // Errors are ignored: without this response the dialog offers only the password.
    unwrap(api.GET('/api/v1/profile/second-factor')).then(
      ({ data }) => setHasPasskeys(data.passkeys > 0),
      () => {},
    );
  }, []);
  const { submit, isPending, problem, errors } = useSubmit({
    send: async (getCredentials: () => Promise<Schemas['ConfirmInput']>) =>
      unwrap(api.POST('/api/v1/profile/confirm', { body: await getCredentials() })),
    onDone: () => confirmation.resolve(true),
  });
  const confirmWithPassword = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => ({ password }));
  };
  const confirmWithPasskey = () => void submit(async () => ({ passkey: await signNewChallenge(t) }));
  const barProblem = getBarProblem(problem, (key) => key === 'password');
  return (
    <Dialog
      title={t('session.confirm.title')}
      onClose={cancel}
      isBusy={isPending}
      footer={
        <>
          <CloseButton label={t('ui.cancel')} />
          <Button
            variant="filled"
            type="submit"
            form="confirm-dialog"
            label={t('session.confirm.confirm')}
            busy={isPending}
          />
        </>
      }
    >
      <form id="confirm-dialog" className="form" onSubmit={confirmWithPassword}>
        <p>{t('session.confirm.text')}</p>
        <input type="hidden" autoComplete="username" value={profile?.email ?? ''} readOnly />
        <PasswordField
          label={t('session.password')}
          value={password}
          onChange={setPassword}
          errors={errors.password}
          autoFocus
        />
        {hasPasskeys && (
          <Button icon="key" label={t('passkeys.usePasskey')} busy={isPending} onClick={confirmWithPasskey} />
        )}
        {barProblem && <ProblemBar problem={barProblem} />}
      </form>
    </Dialog>
  );
}
