// Sets up an authenticator app in three steps: shows the secret as QR code and as text, asks for a first code from the app, and
// shows the recovery codes.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { getBarProblem } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { RecoveryCodes } from './RecoveryCodes';

export function SecondFactorSetup({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  // Each request creates a new secret, so it must not be refetched while the user scans the QR code.
  const enrollment = useQuery({
    queryKey: ['second-factor', 'enrolment'],
    queryFn: async () => (await unwrap(api.POST('/api/v1/profile/second-factor'))).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const [otp, setOtp] = useState('');
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null);
  const { submit, isPending, problem, errors } = useSubmit({
    send: async () =>
      (await unwrap(api.POST('/api/v1/profile/second-factor/confirm', { body: { otp: otp.trim() } }))).data,
    onDone: ({ recovery_codes }) => setRecoveryCodes(recovery_codes),
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} onDone={onDone} />;
  if (enrollment.error)
    return <ProblemBar problem={asProblem(enrollment.error)} onRetry={() => void enrollment.refetch()} />;
  if (!enrollment.data) return <p className="loading second-factor-loading">{t('ui.loading')}</p>;
  const { secret, qr_svg } = enrollment.data;
  const barProblem = getBarProblem(problem, (field) => field === 'otp');
  return (
    <form className="form" onSubmit={onSubmit}>
      <p>{t('secondFactor.scanQrCode')}</p>
      <img className="qr" src={`data:image/svg+xml,${encodeURIComponent(qr_svg)}`} alt={t('secondFactor.qrCode')} />
      <p>
        {t('secondFactor.secret')} <code>{secret}</code>{' '}
        <CopyButton text={secret} label={t('secondFactor.copySecret')} />
      </p>
      <Field label={t('session.otp')} hint={t('secondFactor.firstCodeHint')} errors={errors.otp}>
        {(controlProps) => (
          <input
            {...controlProps}
            className="input"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            required
            value={otp}
            onChange={(event) => setOtp(event.target.value)}
          />
        )}
      </Field>
      {barProblem && <ProblemBar problem={barProblem} />}
      <Button variant="filled" type="submit" label={t('secondFactor.turnOn')} busy={isPending} />
    </form>
  );
}
