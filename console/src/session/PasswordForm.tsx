// The form with which users change their own password. The server requires the current password and ends all other sessions.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getBarProblem } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { PasswordField } from './PasswordField';
import { changePassword } from './requests';

const FIELDS = new Set(['current_password', 'password']);

export function PasswordForm() {
  const { t } = useTranslation();
  const [currentPassword, setCurrentPassword] = useState('');
  const [password, setPassword] = useState('');
  const { submit, isPending, problem, errors } = useSubmit({
    send: () => changePassword({ current_password: currentPassword, password }),
    successMessage: t('session.passwordChanged'),
    onDone: () => {
      setCurrentPassword('');
      setPassword('');
    },
  });
  const barProblem = getBarProblem(problem, (key) => FIELDS.has(key));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  return (
    <form className="form password-form" onSubmit={onSubmit}>
      <p className="hint">{t('session.changePasswordText')}</p>
      <PasswordField
        label={t('session.currentPassword')}
        value={currentPassword}
        onChange={setCurrentPassword}
        errors={errors.current_password}
      />
      <PasswordField
        label={t('session.newPassword')}
        hint={t('session.passwordHint')}
        value={password}
        onChange={setPassword}
        errors={errors.password}
        isNew
      />
      {barProblem && <ProblemBar problem={barProblem} />}
      <Button variant="filled" type="submit" label={t('session.changePassword')} busy={isPending} />
    </form>
  );
}
