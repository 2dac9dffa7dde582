// The browser's part of a passkey: challenges go in and answers come out in the JSON forms of WebAuthn, which browsers read and
// write by themselves since 2025. What an authenticator refuses is a problem with a sentence, like a refusal of the server.
import type { TFunction } from 'i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';

type Challenge = Schemas['PasskeyChallenge'];
type Answer = Schemas['PasskeyAnswer'];

/** Whether this browser can use passkeys; it offers them to https pages and to localhost only. */
export const hasPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in window.PublicKeyCredential;

/** Makes a passkey. */
export async function createPasskey({ ceremony, options }: Challenge, t: TFunction): Promise<Answer> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return { ceremony, credential: await answer(navigator.credentials.create({ publicKey }), t) };
}

/** Asks a passkey of the account for its answer. */
export async function askPasskey({ ceremony, options }: Challenge, t: TFunction): Promise<Answer> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return { ceremony, credential: await answer(navigator.credentials.get({ publicKey }), t) };
}

/** Proves within a session that it is the person. */
export async function provePasskey(t: TFunction): Promise<Answer> {
  return askPasskey((await unwrap(api.POST('/api/v1/profile/passkeys/challenge'))).data, t);
}

async function answer(asked: Promise<Credential | null>, t: TFunction): Promise<Answer['credential']> {
  try {
    const credential = (await asked) as PublicKeyCredential | null;
    if (credential) return credential.toJSON() as unknown as Answer['credential'];
  } catch (error) {
    // The standard's name for an authenticator that has a passkey of the account already.
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new Problem({
      status: 422,
      code: 'passkey_failed',
      message: t(isKnown ? 'passkeys.known' : 'passkeys.failed'),
    });
  }
  throw new Problem({ status: 422, code: 'passkey_failed', message: t('passkeys.failed') });
}
