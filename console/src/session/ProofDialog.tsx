// A dialog that asks for the password and a second factor before the user changes a second factor. With an empty code it uses a
// passkey.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/form/FormDialog';
import { proveWithPasskey, supportsPasskeys } from './passkey';

interface Props {
  title: string;
  /** The title by default. */
  confirmLabel?: string;
  onProve: (proof: Schemas['SecondFactorProof']) => Promise<void>;
  onClose: () => void;
}

export function ProofDialog({ title, confirmLabel = title, onProve, onClose }: Props) {
  const { t } = useTranslation();
  const hint = t(supportsPasskeys() ? 'passkeys.proofHint' : 'session.otpHint');
  return (
    <FormDialog
      title={title}
      confirmLabel={confirmLabel}
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
