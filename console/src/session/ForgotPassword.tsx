// Requests an email with a password link. The answer does not reveal whether the address has an account.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { problemForBar } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { Notice, ProblemBar } from '@/ui/Notice';
import { AuthCard } from './AuthCard';
import { CAPTCHA, Captcha } from './Captcha';
import { requestPasswordReset } from './calls';
import { useSettings } from './settings';

export function ForgotPassword() {
  const { t } = useTranslation();
  const { captcha_is_enabled, captcha_site_key, captcha_provider = 'recaptcha' } = useSettings();
  const [email, setEmail] = useState('');
  const [captcha, setCaptcha] = useState('');
  const [isSent, setIsSent] = useState(false);
  // The server also requires a captcha after too many requests.
  const [requiresCaptcha, setRequiresCaptcha] = useState(captcha_is_enabled);
  const captchaKey = requiresCaptcha ? captcha_site_key : null;
  const { submit, isPending, problem, errors } = useSubmit({
    send: () => requestPasswordReset({ email: email.trim(), ...(captcha ? { [CAPTCHA]: captcha } : {}) }),
    onDone: () => setIsSent(true),
    onProblem: ({ fields }) => setRequiresCaptcha(requiresCaptcha || CAPTCHA in fields),
  });
  const shownFields = new Set(['email', ...(captchaKey ? [CAPTCHA] : [])]);
  const barProblem = problemForBar(problem, (key) => shownFields.has(key));

  const request = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  const back = <Link href="/login">{t('session.backToSignIn')}</Link>;
  if (isSent) {
    return (
      <AuthCard title={t('session.forgot.title')}>
        <Notice icon="envelope" title={t('session.forgot.sent')} text={t('session.forgot.sentText')} />
        {back}
      </AuthCard>
    );
  }
  return (
    <AuthCard title={t('session.forgot.title')}>
      <p className="gate-note">{t('session.forgot.text')}</p>
      <form className="form" onSubmit={request}>
        <Field label={t('session.email')} errors={errors.email}>
          {(controlProps) => (
            <input
              {...controlProps}
              className="input"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        {captchaKey && (
          <Captcha siteKey={captchaKey} provider={captcha_provider} onAnswer={setCaptcha} errors={errors[CAPTCHA]} />
        )}
        {barProblem && <ProblemBar problem={barProblem} />}
        <Button variant="filled" type="submit" label={t('session.forgot.send')} busy={isPending} className="wide" />
      </form>
      {back}
    </AuthCard>
  );
}
