// Changing one's own password. The current one is asked; all other sessions end. What was typed is gone once it is changed.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { beside } from '@/ui/beside';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { toast } from '@/ui/toasts';
import { changePassword } from './calls';

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
    <form className="form" onSubmit={submit}>
      <p className="hint">{t('session.passwordAbout')}</p>
      <Field label={t('session.currentPassword')} errors={fields.current_password}>
        {(given) => (
          <input
            {...given}
            className="input"
            type="password"
            autoComplete="current-password"
            required
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('session.newPassword')} hint={t('session.passwordHint')} errors={fields.password}>
        {(given) => (
          <input
            {...given}
            className="input"
            type="password"
            autoComplete="new-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      {rest && <ProblemBar problem={rest} />}
      <Button look="filled" type="submit" label={t('session.changePassword')} busy={busy} />
    </form>
  );
}
