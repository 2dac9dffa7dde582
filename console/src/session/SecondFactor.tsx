// One's own second factor: whether it is on, setting it up, new recovery codes, switching it off.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { FormDialog } from '@/ui/FormDialog';
import { ProblemBar } from '@/ui/Notice';
import { RecoveryCodes } from './RecoveryCodes';
import { SecondFactorSetup } from './SecondFactorSetup';

const KEY = ['second-factor'];

type Step = 'setUp' | 'renew' | 'remove';

export function SecondFactor() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: KEY,
    queryFn: async () => (await told(api.GET('/api/v1/profile/second-factor'))).data,
  });
  const [step, setStep] = useState<Step | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => {
    setStep(null);
    setCodes(null);
    void queries.invalidateQueries({ queryKey: KEY });
  };
  const state = query.data;
  if (query.error) return <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />;
  if (!state) return <p className="loading">{t('ui.loading')}</p>;
  return (
    <section className="second-factor">
      <p>{t(state.is_enabled ? 'secondFactor.isOn' : 'secondFactor.isOff')}</p>
      {state.is_enabled && <p>{t('secondFactor.left', { codes: state.recovery_codes_left })}</p>}
      <div className="record-actions">
        {!state.is_enabled && (
          <Button look="filled" icon="shield" label={t('secondFactor.setUp')} onClick={() => setStep('setUp')} />
        )}
        {state.is_enabled && <Button label={t('secondFactor.renew')} onClick={() => setStep('renew')} />}
        {state.is_enabled && !state.is_required && (
          <Button tone="danger" label={t('secondFactor.remove')} onClick={() => setStep('remove')} />
        )}
      </div>
      {state.is_required && <p className="hint">{t('secondFactor.required')}</p>}
      {step === 'setUp' && (
        <Dialog title={t('secondFactor.setUp')} onClose={close}>
          <SecondFactorSetup onDone={close} />
        </Dialog>
      )}
      {codes && (
        <Dialog title={t('secondFactor.codes')} onClose={close}>
          <RecoveryCodes codes={codes} onDone={close} />
        </Dialog>
      )}
      {step && step !== 'setUp' && !codes && <Proof step={step} onCodes={setCodes} onClose={close} />}
    </section>
  );
}

interface ProofProps {
  step: 'renew' | 'remove';
  onCodes: (codes: readonly string[]) => void;
  onClose: () => void;
}

/** Asks for the password and a code before the second factor changes. */
function Proof({ step, onCodes, onClose }: ProofProps) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t(`secondFactor.${step}`)}
      confirm={t(`secondFactor.${step}`)}
      fields={[
        { name: 'password', label: t('session.password'), mode: 'secret' },
        { name: 'otp', label: t('session.otp'), hint: t('session.otpHint'), maxLength: 40 },
      ]}
      initial={{ password: '', otp: '' }}
      onClose={onClose}
      onSave={async ({ password = '', otp = '' }) => {
        const body: Schemas['SecondFactorProof'] = { password, otp };
        if (step === 'renew') {
          onCodes((await told(api.POST('/api/v1/profile/second-factor/recovery-codes', { body }))).data.recovery_codes);
        } else {
          await told(api.DELETE('/api/v1/profile/second-factor', { body }));
          onClose();
        }
      }}
    />
  );
}
