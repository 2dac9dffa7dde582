// Email, password, a passkey or six digits where the account has them, captcha where the panel wants one. What was typed
// stays.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { SecondFactorChoice } from '@/api/problem';
import { beside, NO_ERRORS } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { CAPTCHA, Captcha } from './Captcha';
import { signIn } from './calls';
import { PasswordField } from './PasswordField';
import { askPasskey, hasPasskeys } from './passkey';
import { useSettings } from './settings';

/** `email` is given where the same person signs in again. */
export function SignInForm({ email: known }: { email?: string }) {
  const { t } = useTranslation();
  const { captcha_is_enabled, captcha_site_key, captcha_provider = 'recaptcha' } = useSettings();
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const [captcha, setCaptcha] = useState('');
  const [choice, setChoice] = useState<SecondFactorChoice | null>(null);
  /** The refusal only asked for the second factor, which the form now has a field for. */
  const [isAsked, setIsAsked] = useState(false);
  // The server asks for it after too many failures of the account, too.
  const [wantsCaptcha, setWantsCaptcha] = useState(captcha_is_enabled);
  const captchaKey = wantsCaptcha ? captcha_site_key : null;

  const wantsOtp = choice?.methods.some((method) => method !== 'passkey') ?? false;
  const hasApp = choice?.methods.includes('totp') ?? false;
  const challenge = hasPasskeys() ? choice?.passkey : null;

  const sending = useSubmit({
    send: async (factor: () => Promise<Pick<Schemas['LoginInput'], 'otp' | 'passkey'>>) => {
      const proof = await factor();
      await signIn({ email: email.trim(), password, ...proof, ...(captcha ? { [CAPTCHA]: captcha } : {}) });
    },
    onProblem: ({ code, fields, secondFactor }) => {
      setWantsCaptcha(wantsCaptcha || CAPTCHA in fields);
      // Each refusal has a new challenge, as the answer used the old one up.
      setChoice(secondFactor ?? choice);
      setIsAsked(code === 'otp_required' && !otp);
    },
  });
  const { isPending } = sending;
  const problem = isAsked ? null : sending.problem;
  const fields = problem?.fields ?? NO_ERRORS;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void sending.submit(async () => (otp ? { otp } : {}));
  };
  const usePasskey = (challenge: Schemas['PasskeyChallenge']) =>
    void sending.submit(async () => ({ passkey: await askPasskey(challenge, t) }));
  // Errors of a field that is not on the screen are shown below the form.
  const shown = new Set(['email', 'password', ...(wantsOtp ? ['otp'] : []), ...(captchaKey ? [CAPTCHA] : [])]);
  const rest = beside(problem, (key) => shown.has(key));
  return (
    <form className="form" onSubmit={submit}>
      <Field label={t('session.email')} errors={fields.email}>
        {(given) => (
          <input
            {...given}
            className="input"
            type="email"
            autoComplete="username"
            required
            readOnly={known !== undefined}
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
        hasFocus={known !== undefined}
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
      {wantsOtp && (
        <Field label={t('session.otp')} hint={t(hasApp ? 'session.otpHint' : 'passkeys.codeHint')} errors={fields.otp}>
          {(given) => (
            <input
              {...given}
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
      {rest && <ProblemBar problem={rest} />}
      <Button look="filled" type="submit" label={t('session.signIn')} busy={isPending} className="wide" />
    </form>
  );
}
