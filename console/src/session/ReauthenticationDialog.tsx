// A dialog that asks for the password and the second factor before the user changes the second factor. If the user enters no code,
// the browser asks for a passkey.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/form/FormDialog';
import { signNewChallenge, supportsPasskeys } from './passkey';

interface Props {
  title: string;
  /** The label of the confirm button; by default the title. */
  confirmLabel?: string;
  onConfirm: (credentials: Schemas['SecondFactorProof']) => Promise<void>;
  onClose: () => void;
}

export function ReauthenticationDialog({ title, confirmLabel = title, onConfirm, onClose }: Props) {
  const { t } = useTranslation();
  const hint = t(supportsPasskeys() ? 'passkeys.codeOrPasskeyHint' : 'session.otpHint');
  return (
    <FormDialog
      title={title}
      confirmLabel={confirmLabel}
      fields={[
        { name: 'password', label: t('session.password'), mode: 'secret' },
        { name: 'otp', label: t('session.otp'), hint, maxLength: 40 },
      ]}
      initialValues={{ password: '', otp: '' }}
      send={async ({ values: { password = '', otp = '' } }) => {
        const usesPasskey = !otp && supportsPasskeys();
        await onConfirm({ password, ...(usesPasskey ? { passkey: await signNewChallenge(t) } : { otp }) });
      }}
      onClose={onClose}
    />
  );
}
