// The sign-in form: email, password, a passkey or code when the account has a second factor, and a captcha when required.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { SecondFactorChoice } from '@/api/problem';
import { NO_ERRORS, problemForBar } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { CAPTCHA, Captcha } from './Captcha';
import { signIn } from './calls';
import { PasswordField } from './PasswordField';
import { getPasskeyAnswer, supportsPasskeys } from './passkey';
import { useSettings } from './settings';

/** `email` is fixed when the same user signs in again. */
export function SignInForm({ email: fixedEmail }: { email?: string }) {
  const { t } = useTranslation();
  const { captcha_is_enabled, captcha_site_key, captcha_provider = 'recaptcha' } = useSettings();
  const [email, setEmail] = useState(fixedEmail ?? '');
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const [captcha, setCaptcha] = useState('');
  const [choice, setChoice] = useState<SecondFactorChoice | null>(null);
  /** The last error only requested the second factor, which the form now has a field for: it is not shown. */
  const [isOtpRequested, setIsOtpRequested] = useState(false);
  // The server also requires a captcha after too many failures of the account.
  const [requiresCaptcha, setRequiresCaptcha] = useState(captcha_is_enabled);
  const captchaKey = requiresCaptcha ? captcha_site_key : null;

  const showsOtp = choice?.methods.some((method) => method !== 'passkey') ?? false;
  const hasApp = choice?.methods.includes('totp') ?? false;
  const challenge = supportsPasskeys() ? choice?.passkey : null;

  const sending = useSubmit({
    send: async (factor: () => Promise<Pick<Schemas['LoginInput'], 'otp' | 'passkey'>>) => {
      const proof = await factor();
      await signIn({ email: email.trim(), password, ...proof, ...(captcha ? { [CAPTCHA]: captcha } : {}) });
    },
    onProblem: ({ code, fields, secondFactor }) => {
      setRequiresCaptcha(requiresCaptcha || CAPTCHA in fields);
      // Every error has a new challenge, because the attempt has consumed the old one.
      setChoice(secondFactor ?? choice);
      setIsOtpRequested(code === 'otp_required' && !otp);
    },
  });
  const { isPending } = sending;
  const problem = isOtpRequested ? null : sending.problem;
  const fields = problem?.fields ?? NO_ERRORS;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void sending.submit(async () => (otp ? { otp } : {}));
  };
  const usePasskey = (challenge: Schemas['PasskeyChallenge']) =>
    void sending.submit(async () => ({ passkey: await getPasskeyAnswer(challenge, t) }));
  // Errors of hidden fields are shown below the form.
  const shownFields = new Set(['email', 'password', ...(showsOtp ? ['otp'] : []), ...(captchaKey ? [CAPTCHA] : [])]);
  const barProblem = problemForBar(problem, (key) => shownFields.has(key));
  return (
    <form className="form" onSubmit={submit}>
      <Field label={t('session.email')} errors={fields.email}>
        {(controlProps) => (
          <input
            {...controlProps}
            className="input"
            type="email"
            autoComplete="username"
            required
            readOnly={fixedEmail !== undefined}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <PasswordField
        label={t('session.password')}
        value={password}
        onChange={setPassword}
        errors={fields.password}
        hasFocus={fixedEmail !== undefined}
      />
      {challenge && (
        <Button
          icon="key"
          label={t('passkeys.use')}
          busy={isPending}
          onClick={() => usePasskey(challenge)}
          className="wide"
        />
      )}
      {choice?.passkey && !challenge && <p className="hint">{t('passkeys.unsupported')}</p>}
      {showsOtp && (
        <Field label={t('session.otp')} hint={t(hasApp ? 'session.otpHint' : 'passkeys.codeHint')} errors={fields.otp}>
          {(controlProps) => (
            <input
              {...controlProps}
              className="input"
              autoComplete="one-time-code"
              maxLength={40}
              value={otp}
              onChange={(event) => setOtp(event.target.value)}
            />
          )}
        </Field>
      )}
      {captchaKey && (
        <Captcha siteKey={captchaKey} provider={captcha_provider} onAnswer={setCaptcha} errors={fields[CAPTCHA]} />
      )}
      {barProblem && <ProblemBar problem={barProblem} />}
      <Button variant="filled" type="submit" label={t('session.signIn')} busy={isPending} className="wide" />
    </form>
  );
}
