// Signing in and out, and staying signed in.
import i18next from 'i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { speak } from '@/i18n';
import { type LocaleCode, localeOf } from '@/i18n/locales';
import { isMarked } from './mark';
import { holdPreferences } from './preferences';
import { type Profile, session } from './store';

/** How often the token is replaced. */
const REFRESH_EVERY_MS = 1_200_000;
/** A replaced token works for 30 seconds more: until then an answer that was lost can be asked for again. */
const RETRY_AFTER_MS = 5_000;
const MOST_RETRIES = 4;

async function begin(call: Promise<{ data?: Schemas['SignedIn']; response: Response; error?: unknown }>) {
  const { user } = await unwrap(call);
  await speakOf(user);
  session.begin(user);
}

/** Speaks the language of someone's profile; where that cannot be loaded now, the browser's goes on. */
async function speakOf({ locale }: Profile): Promise<void> {
  if (locale && locale !== i18next.language) await speak(localeOf(locale).code).catch(() => undefined);
}

/** Changes one's own profile, and speaks its language. */
export async function saveProfile(body: Schemas['OwnProfileInput']): Promise<Profile> {
  const { data } = await unwrap(api.PATCH('/api/v1/profile', { body }));
  await speakOf(data);
  session.renew(data);
  return data;
}

/** Speaks a language that was chosen here; where the profile has one, it follows. */
export async function chooseLanguage(code: LocaleCode): Promise<void> {
  await speak(code);
  if (session.state().profile?.locale) await saveProfile({ locale: code });
}

export const requestPasswordReset = (body: Schemas['PasswordResetInput']) =>
  unwrap(api.POST('/password-resets', { body }));
export const showPasswordLink = async (token: string) =>
  (await unwrap(api.POST('/password-links/show', { body: { token } }))).data;

/** Sets a password by a link. All sessions of its account end, this one too where it is of the same person. */
export async function setPasswordByLink(token: string, password: string, email: string): Promise<void> {
  await unwrap(api.POST('/password-links/use', { body: { token, password } }));
  if (session.state().profile?.email === email) session.end();
}

export const signIn = (body: Schemas['LoginInput']) => begin(api.POST('/login', { body }));
export const setUp = (body: Schemas['SetupInput']) => begin(api.POST('/setup', { body }));
export const changePassword = (body: Schemas['OwnPasswordInput']) =>
  unwrap(api.POST('/api/v1/profile/password', { body }));
export const exchange = (code: string) => begin(api.POST('/handoff', { body: { code } }));

/** Signs out at the server, which alone can take the cookie away; when that fails, the person is still signed in. */
export async function signOut(): Promise<void> {
  const restore = holdPreferences();
  session.leave(true);
  try {
    await unwrap(api.POST('/logout'));
  } catch (error) {
    // A session that has already ended needs no sign-out.
    if (!(error instanceof Problem) || error.status !== 401) {
      session.leave(false);
      throw error;
    }
  }
  restore();
  session.end();
}

/** Takes up the session of the cookie, if there may be one; its failure means signed out, unless it will pass. */
export async function resume(): Promise<void> {
  if (!isMarked()) return;
  try {
    await begin(api.GET('/refresh'));
  } catch (error) {
    if (error instanceof Problem && error.isPassing) throw error;
    session.end();
  }
}

async function refresh(): Promise<void> {
  for (let retry = 0; retry <= MOST_RETRIES; retry += 1) {
    if (!session.state().profile || session.state().asleep) return;
    try {
      return await begin(api.GET('/refresh'));
    } catch (error) {
      if (!(error instanceof Problem) || !error.isPassing) return;
      await new Promise((resolve) => window.setTimeout(resolve, RETRY_AFTER_MS));
    }
  }
}

/** Replaces the token every twenty minutes; a lost session shows at the next call, so failures stay silent here. */
export function keepFresh(): () => void {
  const timer = window.setInterval(() => void refresh(), REFRESH_EVERY_MS);
  return () => window.clearInterval(timer);
}
