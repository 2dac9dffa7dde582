// The first start of an empty panel: the person who opens the address that the server printed creates the owner's account.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { beside, isAt } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Field, Tick } from '@/ui/Field';
import { Notice, ProblemBar } from '@/ui/Notice';
import { Card } from './Card';
import { setUp } from './calls';
import { PasswordField } from './PasswordField';
import { useSettings } from './settings';

const FIELDS = [
  { name: 'panel_name', type: 'text', complete: 'organization' },
  { name: 'name', type: 'text', complete: 'name' },
  { name: 'email', type: 'email', complete: 'username' },
] as const;

export function SetUp() {
  const { t } = useTranslation();
  const { needs_setup } = useSettings();
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  const [values, setValues] = useState({ panel_name: '', name: '', email: '', password: '' });
  // On unless the owner decides otherwise: a password alone can be guessed, phished or reused.
  const [require_second_factor, setRequired] = useState(true);
  const { submit, isPending, problem, errors } = useSubmit({
    send: () => setUp({ ...values, require_second_factor, token }),
    // Everything that was read before belongs to a panel without an owner.
    onDone: () => location.replace('/'),
  });
  const make = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  if (!needs_setup || !token) {
    return (
      <Card title={t('setup.title')}>
        <Notice icon="lock" title={t(needs_setup ? 'setup.noToken' : 'setup.done')} />
      </Card>
    );
  }
  const rest = beside(problem, isAt([...FIELDS.map(({ name }) => name), 'password']));
  return (
    <Card title={t('setup.title')}>
      <p className="gate-note">{t('setup.text')}</p>
      <form className="form" onSubmit={make}>
        {FIELDS.map(({ name, type, complete }) => (
          <Field key={name} label={t(`setup.${name}`)} errors={errors[name]}>
            {(given) => (
              <input
                {...given}
                className="input"
                type={type}
                autoComplete={complete}
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
        <Tick label={t('setup.require_second_factor')} checked={require_second_factor} onChange={setRequired} />
        {rest && <ProblemBar problem={rest} />}
        <Button look="filled" type="submit" label={t('setup.make')} busy={isPending} className="wide" />
      </form>
    </Card>
  );
}
