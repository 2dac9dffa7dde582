// Signing in and out, and staying signed in.
import { api, type Schemas, told } from '@/api/client';
import { Problem } from '@/api/problem';
import { holdPreferences } from './preferences';
import { session } from './store';

/** How often the token is replaced. */
const REFRESH_EVERY_MS = 1_200_000;
/** A replaced token works for 30 seconds more: until then an answer that was lost can be asked for again. */
const RETRY_AFTER_MS = 5_000;
const MOST_RETRIES = 4;

async function begin(call: Promise<{ data?: Schemas['SignedIn']; response: Response; error?: unknown }>) {
  session.begin((await told(call)).user);
}

export const signIn = (body: Schemas['LoginInput']) => begin(api.POST('/login', { body }));
export const setUp = (body: Schemas['SetupInput']) => begin(api.POST('/setup', { body }));
export const exchange = (code: string) => begin(api.POST('/handoff', { body: { code } }));

/** Signs out at the server, which alone can take the cookie away; when that fails, the person is still signed in. */
export async function signOut(): Promise<void> {
  const restore = holdPreferences();
  session.leave(true);
  try {
    await told(api.POST('/logout'));
  } catch (error) {
    // A session that has ended already is what was wanted.
    if (!(error instanceof Problem) || error.status !== 401) {
      session.leave(false);
      throw error;
    }
  }
  restore();
  session.end();
}

/** Takes up the session of the cookie, if there is one; its failure means signed out, unless it will pass. */
export async function resume(): Promise<void> {
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
