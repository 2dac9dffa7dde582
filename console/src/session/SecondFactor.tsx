// The tab of the user's profile that shows the second factor: its status, the authenticator app, the passkeys and the recovery
// codes.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { Passkeys } from './Passkeys';
import { ReauthenticationDialog } from './ReauthenticationDialog';
import { RecoveryCodes } from './RecoveryCodes';
import { SecondFactorSetup } from './SecondFactorSetup';

const SECOND_FACTOR_KEY = ['second-factor'];

type DialogName = 'setUpApp' | 'renewRecoveryCodes' | 'removeApp';

export function SecondFactor() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: SECOND_FACTOR_KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/profile/second-factor'))).data,
  });
  const [openDialog, setOpenDialog] = useState<DialogName | null>(null);
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null);
  const close = () => {
    setOpenDialog(null);
    setRecoveryCodes(null);
    void queryClient.invalidateQueries({ queryKey: SECOND_FACTOR_KEY });
  };
  const status = query.data;
  if (query.error) return <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />;
  if (!status) return <p className="loading">{t('ui.loading')}</p>;
  return (
    <section className="second-factor">
      <p>{t(status.is_enabled ? 'secondFactor.isOn' : 'secondFactor.isOff')}</p>
      {status.is_enabled && <p>{t('secondFactor.recoveryCodesLeft', { codes: status.recovery_codes_left })}</p>}
      <div className="record-actions">
        {!status.has_authenticator_app && (
          <Button icon="shield" label={t('secondFactor.setUpApp')} onClick={() => setOpenDialog('setUpApp')} />
        )}
        {status.is_enabled && (
          <Button label={t('secondFactor.renewRecoveryCodes')} onClick={() => setOpenDialog('renewRecoveryCodes')} />
        )}
        {status.is_app_removable && (
          <Button tone="danger" label={t('secondFactor.removeApp')} onClick={() => setOpenDialog('removeApp')} />
        )}
      </div>
      {status.is_required && <p className="hint">{t('secondFactor.required')}</p>}
      <Passkeys
        onChange={() => void queryClient.invalidateQueries({ queryKey: SECOND_FACTOR_KEY })}
        onRecoveryCodes={setRecoveryCodes}
      />
      {openDialog === 'setUpApp' && (
        <Dialog title={t('secondFactor.setUpApp')} onClose={close}>
          <SecondFactorSetup onDone={close} />
        </Dialog>
      )}
      {recoveryCodes && (
        <Dialog title={t('secondFactor.recoveryCodes')} onClose={close}>
          <RecoveryCodes codes={recoveryCodes} onDone={close} />
        </Dialog>
      )}
      {openDialog && openDialog !== 'setUpApp' && !recoveryCodes && (
        <ReauthenticationDialog
          title={t(`secondFactor.${openDialog}`)}
          onClose={close}
          onConfirm={async (body) => {
            if (openDialog === 'renewRecoveryCodes') {
              const { data } = await unwrap(api.POST('/api/v1/profile/second-factor/recovery-codes', { body }));
              setRecoveryCodes(data.recovery_codes);
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
