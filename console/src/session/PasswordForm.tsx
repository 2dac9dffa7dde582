// Changing one's own password. The current one is asked; all other sessions end. What was typed is gone once it is changed.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { beside } from '@/ui/beside';
import { ProblemBar } from '@/ui/Notice';
import { toast } from '@/ui/toasts';
import { changePassword } from './calls';
import { PasswordField } from './PasswordField';

const FIELDS = new Set(['current_password', 'password']);

export function PasswordForm() {
  const { t } = useTranslation();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const fields = problem?.fields ?? {};
  const rest = beside(problem, (key) => FIELDS.has(key));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await changePassword({ current_password: current, password });
      setCurrent('');
      setPassword('');
      toast({ tone: 'success', text: t('session.passwordChanged') });
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="form password-form" onSubmit={submit}>
      <p className="hint">{t('session.passwordAbout')}</p>
      <PasswordField
        label={t('session.currentPassword')}
        value={current}
        onChange={setCurrent}
        errors={fields.current_password}
      />
      <PasswordField
        label={t('session.newPassword')}
        hint={t('session.passwordHint')}
        value={password}
        onChange={setPassword}
        errors={fields.password}
        isNew
      />
      {rest && <ProblemBar problem={rest} />}
      <Button look="filled" type="submit" label={t('session.changePassword')} busy={busy} />
    </form>
  );
}
