// Asks for the password and a second factor before the second factor changes. Where the code is left empty, a passkey proves it.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/form/FormDialog';
import { hasPasskeys, provePasskey } from './passkey';

interface Props {
  title: string;
  /** The button, where the title is longer than a button: it has a name that a person chose. */
  confirm?: string;
  onProve: (proof: Schemas['SecondFactorProof']) => Promise<void>;
  onClose: () => void;
}

export function Proof({ title, confirm = title, onProve, onClose }: Props) {
  const { t } = useTranslation();
  const hint = t(hasPasskeys() ? 'passkeys.proofHint' : 'session.otpHint');
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
        const asksPasskey = !otp && hasPasskeys();
        await onProve({ password, ...(asksPasskey ? { passkey: await provePasskey(t) } : { otp }) });
      }}
      onClose={onClose}
    />
  );
}
