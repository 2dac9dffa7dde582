// The setup page of an empty panel, which creates the account of the owner. It requires the token in the URL that the server has
// printed.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getBarProblem, isWithinFields } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Checkbox, Field } from '@/ui/Field';
import { Notice, ProblemBar } from '@/ui/Notice';
import { AuthCard } from './AuthCard';
import { PasswordField } from './PasswordField';
import { setUp } from './requests';
import { useSettings } from './settings';

const FIELDS = [
  { name: 'panel_name', type: 'text', autoComplete: 'organization' },
  { name: 'name', type: 'text', autoComplete: 'name' },
  { name: 'email', type: 'email', autoComplete: 'username' },
] as const;

export function SetUp() {
  const { t } = useTranslation();
  const { needs_setup } = useSettings();
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  const [values, setValues] = useState({ panel_name: '', name: '', email: '', password: '' });
  // True by default, because an attacker can guess, phish or reuse a password.
  const [require_second_factor, setRequireSecondFactor] = useState(true);
  const { submit, isPending, problem, errors } = useSubmit({
    send: () => setUp({ ...values, require_second_factor, token }),
    // A reload, because the cached data belongs to a panel without an owner.
    onDone: () => location.replace('/'),
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  if (!needs_setup || !token) {
    return (
      <AuthCard title={t('setup.title')}>
        <Notice icon="lock" title={t(needs_setup ? 'setup.noToken' : 'setup.alreadySetUp')} />
      </AuthCard>
    );
  }
  const barProblem = getBarProblem(problem, isWithinFields([...FIELDS.map(({ name }) => name), 'password']));
  return (
    <AuthCard title={t('setup.title')}>
      <p className="gate-note">{t('setup.description')}</p>
      <form className="form" onSubmit={onSubmit}>
        {FIELDS.map(({ name, type, autoComplete }) => (
          <Field key={name} label={t(`setup.${name}`)} errors={errors[name]}>
            {(controlProps) => (
              <input
                {...controlProps}
                className="input"
                type={type}
                autoComplete={autoComplete}
                required
                value={values[name]}
                onChange={(event) => setValues({ ...values, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
        <PasswordField
          label={t('session.password')}
          hint={t('session.passwordHint')}
          value={values.password}
          onChange={(password) => setValues({ ...values, password })}
          errors={errors.password}
          isNew
        />
        <Checkbox
          label={t('setup.require_second_factor')}
          checked={require_second_factor}
          onChange={setRequireSecondFactor}
        />
        {barProblem && <ProblemBar problem={barProblem} />}
        <Button variant="filled" type="submit" label={t('setup.createOwner')} busy={isPending} className="wide" />
      </form>
    </AuthCard>
  );
}
