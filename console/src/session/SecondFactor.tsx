// The user's own second factor: status, authenticator app, passkeys, and new recovery codes.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { Passkeys } from './Passkeys';
import { ProofDialog } from './ProofDialog';
import { RecoveryCodes } from './RecoveryCodes';
import { SecondFactorSetup } from './SecondFactorSetup';

const KEY = ['second-factor'];

type Step = 'setUp' | 'renew' | 'remove';

export function SecondFactor() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/profile/second-factor'))).data,
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
        {!state.has_authenticator_app && (
          <Button icon="shield" label={t('secondFactor.setUp')} onClick={() => setStep('setUp')} />
        )}
        {state.is_enabled && <Button label={t('secondFactor.renew')} onClick={() => setStep('renew')} />}
        {state.is_app_removable && (
          <Button tone="danger" label={t('secondFactor.remove')} onClick={() => setStep('remove')} />
        )}
      </div>
      {state.is_required && <p className="hint">{t('secondFactor.required')}</p>}
      <Passkeys onChange={() => void queries.invalidateQueries({ queryKey: KEY })} onCodes={setCodes} />
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
      {step && step !== 'setUp' && !codes && (
        <ProofDialog
          title={t(`secondFactor.${step}`)}
          onClose={close}
          onProve={async (body) => {
            if (step === 'renew') {
              const { data } = await unwrap(api.POST('/api/v1/profile/second-factor/recovery-codes', { body }));
              setCodes(data.recovery_codes);
            } else {
              await unwrap(api.DELETE('/api/v1/profile/second-factor', { body }));
              close();
            }
          }}
        />
      )}
    </section>
  );
}
