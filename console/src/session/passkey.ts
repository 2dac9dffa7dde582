// The browser's side of passkeys, with the JSON forms of WebAuthn, which all browsers parse and serialize since 2025. A rejection
// by the authenticator is thrown as a `Problem`, like an error of the server.
import type { TFunction } from 'i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';

type Challenge = Schemas['PasskeyChallenge'];
type Answer = Schemas['PasskeyAnswer'];

/** Whether this browser supports passkeys. Browsers offer them only on https and localhost. */
export const supportsPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in window.PublicKeyCredential;

/** Creates a passkey. */
export async function createPasskey({ ceremony, options }: Challenge, t: TFunction): Promise<Answer> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return { ceremony, credential: await serializeCredential(navigator.credentials.create({ publicKey }), t) };
}

/** Signs a challenge with a passkey of the account. */
export async function getPasskeyAnswer({ ceremony, options }: Challenge, t: TFunction): Promise<Answer> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return { ceremony, credential: await serializeCredential(navigator.credentials.get({ publicKey }), t) };
}

/** Requests a challenge within the session and signs it with a passkey. */
export async function proveWithPasskey(t: TFunction): Promise<Answer> {
  return getPasskeyAnswer((await unwrap(api.POST('/api/v1/profile/passkeys/challenge'))).data, t);
}

async function serializeCredential(request: Promise<Credential | null>, t: TFunction): Promise<Answer['credential']> {
  try {
    const credential = (await request) as PublicKeyCredential | null;
    if (credential) return credential.toJSON() as unknown as Answer['credential'];
  } catch (error) {
    // WebAuthn: the authenticator already has a passkey of the account.
    const isAlreadyRegistered = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new Problem({
      status: 422,
      code: 'passkey_failed',
      message: t(isAlreadyRegistered ? 'passkeys.known' : 'passkeys.failed'),
    });
  }
  throw new Problem({ status: 422, code: 'passkey_failed', message: t('passkeys.failed') });
}
