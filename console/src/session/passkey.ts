// Creates and uses passkeys in the browser, with the JSON formats of WebAuthn, which all browsers support since 2025. If the
// authenticator rejects a request, the functions throw a `Problem`, as for an error response of the server.
import type { TFunction } from 'i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';

type Challenge = Schemas['PasskeyChallenge'];
type SignedChallenge = Schemas['PasskeyResponse'];

/** Whether the browser supports passkeys on this page. Browsers allow them only with HTTPS and on localhost. */
export const supportsPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in window.PublicKeyCredential;

export async function createPasskey({ ceremony, options }: Challenge, t: TFunction): Promise<SignedChallenge> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return { ceremony, credential: await serializeCredential(navigator.credentials.create({ publicKey }), t) };
}

/** Signs a challenge with a passkey of the account. */
export async function signChallenge({ ceremony, options }: Challenge, t: TFunction): Promise<SignedChallenge> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return { ceremony, credential: await serializeCredential(navigator.credentials.get({ publicKey }), t) };
}

/** Requests a challenge for the signed-in user and signs it with a passkey. */
export async function signNewChallenge(t: TFunction): Promise<SignedChallenge> {
  return signChallenge((await unwrap(api.POST('/api/v1/profile/passkeys/challenge'))).data, t);
}

async function serializeCredential(
  credentialPromise: Promise<Credential | null>,
  t: TFunction,
): Promise<SignedChallenge['credential']> {
  try {
    const credential = (await credentialPromise) as PublicKeyCredential | null;
    if (credential) return credential.toJSON() as unknown as SignedChallenge['credential'];
  } catch (error) {
    // WebAuthn reports this error if the authenticator already has a passkey of the account.
    const isAlreadyRegistered = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new Problem({
      status: 422,
      code: 'passkey_failed',
      message: t(isAlreadyRegistered ? 'passkeys.alreadyRegistered' : 'passkeys.verificationFailed'),
    });
  }
  throw new Problem({ status: 422, code: 'passkey_failed', message: t('passkeys.verificationFailed') });
}
