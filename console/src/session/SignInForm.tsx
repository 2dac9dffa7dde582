// The sign-in form: email, password, a passkey or a code if the account has a second factor, and a captcha if the server requires
// one.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { SecondFactorChoice } from '@/api/problem';
import { getBarProblem, NO_ERRORS } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { CAPTCHA_FIELD, Captcha } from './Captcha';
import { PasswordField } from './PasswordField';
import { signChallenge, supportsPasskeys } from './passkey';
import { signIn } from './requests';
import { useSettings } from './settings';

/** With `email`, only the user with this email can sign in. */
export function SignInForm({ email: fixedEmail }: { email?: string }) {
  const { t } = useTranslation();
  const { captcha_is_enabled, captcha_site_key, captcha_provider = 'recaptcha' } = useSettings();
  const [email, setEmail] = useState(fixedEmail ?? '');
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const [captchaToken, setCaptchaToken] = useState('');
  const [secondFactorChoice, setSecondFactorChoice] = useState<SecondFactorChoice | null>(null);
  /** Whether the last error only asked for a code. The form then shows a field for the code instead of the error. */
  const [isCodeRequested, setIsCodeRequested] = useState(false);
  // The server also requires a captcha after too many failed sign-ins to the account.
  const [requiresCaptcha, setRequiresCaptcha] = useState(captcha_is_enabled);
  const captchaKey = requiresCaptcha ? captcha_site_key : null;

  const showsCodeField = secondFactorChoice?.methods.some((method) => method !== 'passkey') ?? false;
  const hasAuthenticatorApp = secondFactorChoice?.methods.includes('totp') ?? false;
  const challenge = supportsPasskeys() ? secondFactorChoice?.passkey : null;

  const submission = useSubmit({
    send: async (getSecondFactor: () => Promise<Pick<Schemas['LoginInput'], 'otp' | 'passkey'>>) => {
      const secondFactor = await getSecondFactor();
      await signIn({
        email: email.trim(),
        password,
        ...secondFactor,
        ...(captchaToken ? { [CAPTCHA_FIELD]: captchaToken } : {}),
      });
    },
    onProblem: ({ code, fields, secondFactor }) => {
      setRequiresCaptcha(requiresCaptcha || CAPTCHA_FIELD in fields);
      // Each error response has a new challenge, because an attempt with a passkey makes its challenge invalid.
      setSecondFactorChoice(secondFactor ?? secondFactorChoice);
      setIsCodeRequested(code === 'otp_required' && !otp);
    },
  });
  const { isPending } = submission;
  const problem = isCodeRequested ? null : submission.problem;
  const fields = problem?.fields ?? NO_ERRORS;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submission.submit(async () => (otp ? { otp } : {}));
  };
  const signInWithPasskey = (challenge: Schemas['PasskeyChallenge']) =>
    void submission.submit(async () => ({ passkey: await signChallenge(challenge, t) }));
  // The errors of other fields are shown below the form.
  const shownFields = new Set([
    'email',
    'password',
    ...(showsCodeField ? ['otp'] : []),
    ...(captchaKey ? [CAPTCHA_FIELD] : []),
  ]);
  const barProblem = getBarProblem(problem, (key) => shownFields.has(key));
  return (
    <form className="form" onSubmit={onSubmit}>
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
        autoFocus={fixedEmail !== undefined}
      />
      {challenge && (
        <Button
          icon="key"
          label={t('passkeys.usePasskey')}
          busy={isPending}
          onClick={() => signInWithPasskey(challenge)}
          className="wide"
        />
      )}
      {secondFactorChoice?.passkey && !challenge && <p className="hint">{t('passkeys.unsupported')}</p>}
      {showsCodeField && (
        <Field
          label={t('session.otp')}
          hint={t(hasAuthenticatorApp ? 'session.otpHint' : 'passkeys.recoveryCodeHint')}
          errors={fields.otp}
        >
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
        <Captcha
          siteKey={captchaKey}
          provider={captcha_provider}
          onToken={setCaptchaToken}
          errors={fields[CAPTCHA_FIELD]}
        />
      )}
      {barProblem && <ProblemBar problem={barProblem} />}
      <Button variant="filled" type="submit" label={t('session.signIn')} busy={isPending} className="wide" />
    </form>
  );
}
