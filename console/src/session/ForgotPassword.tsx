// The page that requests an email with a password link. It must not reveal whether an account with the email exists.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { getBarProblem } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { Notice, ProblemBar } from '@/ui/Notice';
import { AuthCard } from './AuthCard';
import { CAPTCHA_FIELD, Captcha } from './Captcha';
import { requestPasswordReset } from './requests';
import { useSettings } from './settings';

export function ForgotPassword() {
  const { t } = useTranslation();
  const { captcha_is_enabled, captcha_site_key, captcha_provider = 'recaptcha' } = useSettings();
  const [email, setEmail] = useState('');
  const [captchaToken, setCaptchaToken] = useState('');
  const [isEmailSent, setIsEmailSent] = useState(false);
  // The server also requires a captcha after too many requests.
  const [requiresCaptcha, setRequiresCaptcha] = useState(captcha_is_enabled);
  const captchaKey = requiresCaptcha ? captcha_site_key : null;
  const { submit, isPending, problem, errors } = useSubmit({
    send: () =>
      requestPasswordReset({ email: email.trim(), ...(captchaToken ? { [CAPTCHA_FIELD]: captchaToken } : {}) }),
    onDone: () => setIsEmailSent(true),
    onProblem: ({ fields }) => setRequiresCaptcha(requiresCaptcha || CAPTCHA_FIELD in fields),
  });
  const shownFields = new Set(['email', ...(captchaKey ? [CAPTCHA_FIELD] : [])]);
  const barProblem = getBarProblem(problem, (key) => shownFields.has(key));

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  const backLink = <Link href="/login">{t('session.backToSignIn')}</Link>;
  if (isEmailSent) {
    return (
      <AuthCard title={t('session.forgotPassword.title')}>
        <Notice
          icon="envelope"
          title={t('session.forgotPassword.emailSent')}
          text={t('session.forgotPassword.emailSentText')}
        />
        {backLink}
      </AuthCard>
    );
  }
  return (
    <AuthCard title={t('session.forgotPassword.title')}>
      <p className="gate-note">{t('session.forgotPassword.text')}</p>
      <form className="form" onSubmit={onSubmit}>
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
          <Captcha
            siteKey={captchaKey}
            provider={captcha_provider}
            onToken={setCaptchaToken}
            errors={errors[CAPTCHA_FIELD]}
          />
        )}
        {barProblem && <ProblemBar problem={barProblem} />}
        <Button
          variant="filled"
          type="submit"
          label={t('session.forgotPassword.sendLink')}
          busy={isPending}
          className="wide"
        />
      </form>
      {backLink}
    </AuthCard>
  );
}
