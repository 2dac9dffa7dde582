// The API requests that sign in and out, refresh the token, and change the user's own profile.
import i18next from 'i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { setLanguage } from '@/i18n';
import { getLocale, type LocaleCode } from '@/i18n/locales';
import { backUpPreferences } from './preferences';
import { hasSignedInCookie } from './signedInCookie';
import { type Profile, session } from './store';

const REFRESH_INTERVAL_MS = 1_200_000;
/** The old token stays valid for 30 seconds after a refresh, so a refresh whose response was lost can be retried until then. */
const RETRY_DELAY_MS = 5_000;
const MAX_RETRIES = 4;

async function beginSession(
  request: Promise<{ data?: Schemas['SignInResponse']; response: Response; error?: unknown }>,
) {
  const { user } = await unwrap(request);
  await applyProfileLanguage(user);
  session.begin(user);
}

/** Sets the language of the profile. Keeps the current language if the texts of the other language cannot be loaded. */
async function applyProfileLanguage({ locale }: Profile): Promise<void> {
  if (locale && locale !== i18next.language) await setLanguage(getLocale(locale).code).catch(() => undefined);
}

export async function saveProfile(body: Schemas['OwnProfileInput']): Promise<Profile> {
  const { data } = await unwrap(api.PATCH('/api/v1/profile', { body }));
  await applyProfileLanguage(data);
  session.updateProfile(data);
  return data;
}

/** Sets the language of the console. Also saves it in the profile, unless the profile uses the language of the browser. */
export async function chooseLanguage(code: LocaleCode): Promise<void> {
  await setLanguage(code);
  if (session.getState().profile?.locale) await saveProfile({ locale: code });
}

export const requestPasswordReset = (body: Schemas['PasswordResetInput']) =>
  unwrap(api.POST('/password-resets', { body }));
export const fetchPasswordLink = async (token: string) =>
  (await unwrap(api.POST('/password-links/show', { body: { token } }))).data;

/**
 * Sets the password with the token of a link. The server ends all sessions of the account, so this browser may be signed out too.
 */
export async function setPasswordByLink(token: string, password: string, email: string): Promise<void> {
  await unwrap(api.POST('/password-links/use', { body: { token, password } }));
  if (session.getState().profile?.email === email) session.end();
}

export const signIn = (body: Schemas['LoginInput']) => beginSession(api.POST('/login', { body }));
export const setUp = (body: Schemas['SetupInput']) => beginSession(api.POST('/setup', { body }));
export const changePassword = (body: Schemas['OwnPasswordInput']) =>
  unwrap(api.POST('/api/v1/profile/password', { body }));
export const signInWithCode = (code: string) => beginSession(api.POST('/handoff', { body: { code } }));

/** Signs out on the server, because scripts cannot delete the session cookie. If this throws, the user is still signed in. */
export async function signOut(): Promise<void> {
  const restorePreferences = backUpPreferences();
  session.setSigningOut(true);
  try {
    await unwrap(api.POST('/logout'));
  } catch (error) {
    // 401: the session has already ended.
    if (!(error instanceof Problem) || error.status !== 401) {
      session.setSigningOut(false);
      throw error;
    }
  }
  restorePreferences();
  session.end();
}

/**
 * Resumes the session of the cookie, if there is one. Throws only transient errors; after any other error the user is signed out.
 */
export async function resumeSession(): Promise<void> {
  if (!hasSignedInCookie()) return;
  try {
    await beginSession(api.GET('/refresh'));
  } catch (error) {
    if (error instanceof Problem && error.isTransient) throw error;
    session.end();
  }
}

async function refreshToken(): Promise<void> {
  for (let retry = 0; retry <= MAX_RETRIES; retry += 1) {
    if (!session.getState().profile || session.getState().isExpired) return;
    try {
      return await beginSession(api.GET('/refresh'));
    } catch (error) {
      if (!(error instanceof Problem) || !error.isTransient) return;
      await new Promise((resolve) => window.setTimeout(resolve, RETRY_DELAY_MS));
    }
  }
}

/**
 * Refreshes the token every 20 minutes. Ignores errors, because the next request reports an expired session. Returns a stop
 * function.
 */
export function startTokenRefresh(): () => void {
  const timer = window.setInterval(() => void refreshToken(), REFRESH_INTERVAL_MS);
  return () => window.clearInterval(timer);
}
