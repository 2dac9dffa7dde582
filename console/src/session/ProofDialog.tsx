// Asks for the password and a second factor before the second factor is changed. An empty code uses a passkey.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/form/FormDialog';
import { proveWithPasskey, supportsPasskeys } from './passkey';

interface Props {
  title: string;
  /** Label of the button, when the title is too long for one. */
  confirm?: string;
  onProve: (proof: Schemas['SecondFactorProof']) => Promise<void>;
  onClose: () => void;
}

export function ProofDialog({ title, confirm = title, onProve, onClose }: Props) {
  const { t } = useTranslation();
  const hint = t(supportsPasskeys() ? 'passkeys.proofHint' : 'session.otpHint');
  return (
    <FormDialog
      title={title}
      confirm={confirm}
      fields={[
        { name: 'password', label: t('session.password'), mode: 'secret' },
        { name: 'otp', label: t('session.otp'), hint, maxLength: 40 },
      ]}
      initial={{ password: '', otp: '' }}
      send={async ({ values: { password = '', otp = '' } }) => {
        const usesPasskey = !otp && supportsPasskeys();
        await onProve({ password, ...(usesPasskey ? { passkey: await proveWithPasskey(t) } : { otp }) });
      }}
      onClose={onClose}
    />
  );
}
