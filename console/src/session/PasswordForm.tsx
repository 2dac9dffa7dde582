// Changes the user's own password. Requires the current one; all other sessions end.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemForBar } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { changePassword } from './calls';
import { PasswordField } from './PasswordField';

const FIELDS = new Set(['current_password', 'password']);

export function PasswordForm() {
  const { t } = useTranslation();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { submit, isPending, problem, errors } = useSubmit({
    send: () => changePassword({ current_password: current, password }),
    success: t('session.passwordChanged'),
    onDone: () => {
      setCurrent('');
      setPassword('');
    },
  });
  const barProblem = problemForBar(problem, (key) => FIELDS.has(key));
  const save = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  return (
    <form className="form password-form" onSubmit={save}>
      <p className="hint">{t('session.passwordAbout')}</p>
      <PasswordField
        label={t('session.currentPassword')}
        value={current}
        onChange={setCurrent}
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
