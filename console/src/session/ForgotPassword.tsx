// A forgotten password: asks for an email with a link. The answer is the same whether the address has an account or not.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { beside } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { Notice, ProblemBar } from '@/ui/Notice';
import { CAPTCHA, Captcha } from './Captcha';
import { Card } from './Card';
import { requestPasswordReset } from './calls';
import { useSettings } from './settings';

export function ForgotPassword() {
  const { t } = useTranslation();
  const { captcha_is_enabled, captcha_site_key, captcha_provider = 'recaptcha' } = useSettings();
  const [email, setEmail] = useState('');
  const [captcha, setCaptcha] = useState('');
  const [isSent, setIsSent] = useState(false);
  // The server asks for it after too many requests, too.
  const [wantsCaptcha, setWantsCaptcha] = useState(captcha_is_enabled);
  const captchaKey = wantsCaptcha ? captcha_site_key : null;
  const { submit, isPending, problem, errors } = useSubmit({
    send: () => requestPasswordReset({ email: email.trim(), ...(captcha ? { [CAPTCHA]: captcha } : {}) }),
    onDone: () => setIsSent(true),
    onProblem: ({ fields }) => setWantsCaptcha(wantsCaptcha || CAPTCHA in fields),
  });
  const shown = new Set(['email', ...(captchaKey ? [CAPTCHA] : [])]);
  const rest = beside(problem, (key) => shown.has(key));

  const request = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  const back = <Link href="/login">{t('session.backToSignIn')}</Link>;
  if (isSent) {
    return (
      <Card title={t('session.forgot.title')}>
        <Notice icon="envelope" title={t('session.forgot.sent')} text={t('session.forgot.sentText')} />
        {back}
      </Card>
    );
  }
  return (
    <Card title={t('session.forgot.title')}>
      <p className="gate-note">{t('session.forgot.text')}</p>
      <form className="form" onSubmit={request}>
        <Field label={t('session.email')} errors={errors.email}>
          {(given) => (
            <input
              {...given}
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
        {rest && <ProblemBar problem={rest} />}
        <Button look="filled" type="submit" label={t('session.forgot.send')} busy={isPending} className="wide" />
      </form>
      {back}
    </Card>
  );
}
