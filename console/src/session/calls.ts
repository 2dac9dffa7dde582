// Signing in and out, and staying signed in.
import { api, type Schemas, told } from '@/api/client';
import { Problem } from '@/api/problem';
import { session } from './store';
import { tokenOf } from './token';

/** How often the token is replaced. */
const REFRESH_EVERY_MS = 1_200_000;

async function begin(call: Promise<{ data?: Schemas['SignedIn']; response: Response; error?: unknown }>) {
  const { response } = await call;
  const { user } = await told(call);
  const token = tokenOf(response);
  if (!token) throw new Problem({ status: 0, code: 'unreadable', message: 'The server sent no token.' });
  session.begin(user, token);
}

export const signIn = (body: Schemas['LoginInput']) => begin(api.POST('/login', { body }));
export const setUp = (body: Schemas['SetupInput']) => begin(api.POST('/setup', { body }));
export const changePassword = (body: Schemas['OwnPasswordInput']) => told(api.POST('/api/v1/profile/password', { body }));
export const exchange = (code: string) => begin(api.POST('/handoff', { body: { code } }));

/** Signed out here at once, so that nothing more is asked with a token that is about to end. */
export async function signOut(): Promise<void> {
  const headers = { Authorization: `Bearer ${session.token()}` };
  session.end();
  await api.POST('/logout', { headers }).catch(() => undefined);
}

/** Takes up the session of the cookie, if there is one; its failure means signed out, unless it will pass. */
export async function resume(): Promise<void> {
  if (!session.token()) return;
  try {
    await begin(api.GET('/refresh'));
  } catch (error) {
    if (error instanceof Problem && error.isPassing) throw error;
    session.end();
  }
}

/** Replaces the token every twenty minutes; a lost session shows at the next call, so failures stay silent here. */
export function keepFresh(): () => void {
  const timer = window.setInterval(() => {
    if (session.state().profile && !session.state().asleep) void begin(api.GET('/refresh')).catch(() => undefined);
  }, REFRESH_EVERY_MS);
  return () => window.clearInterval(timer);
}
