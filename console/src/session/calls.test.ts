import i18next from 'i18next';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n, setLanguage } from '@/i18n';
import { chooseLanguage, resumeSession, signOut, startTokenRefresh } from './calls';
import { hasSignedInCookie, setSignedInCookie } from './signedInCookie';
import { type Profile, session } from './store';

const MINUTES_20 = 1_200_000;
const profile = { id: 1, name: 'Anna' } as Profile;
let stop: () => void;
let calls: Request[];

const paths = () => calls.map((call) => new URL(call.url).pathname);
const unauthenticated = () =>
  new Response(JSON.stringify({ code: 'unauthenticated', message: 'No.' }), { status: 401 });

beforeAll(initI18n);
beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    calls.push(request as Request);
    return new Response(JSON.stringify({ user: profile }));
  });
  session.begin(profile);
  stop = startTokenRefresh();
});
afterEach(() => {
  stop();
  session.end();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('refreshes the token every 20 minutes', async () => {
  await vi.advanceTimersByTimeAsync(MINUTES_20 - 1);
  expect(paths()).toEqual([]);
  const before = session.tokenVersion();
  await vi.advanceTimersByTimeAsync(1);
  expect(paths()).toEqual(['/refresh']);
  await vi.waitFor(() => expect(session.tokenVersion()).toBe(before + 1));
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(calls).toHaveLength(2);
});

it('requests the session in a cookie, and sends no token', async () => {
  await resumeSession();
  expect(calls[0]?.headers.get('X-Panel-Session')).toBe('cookie');
  expect(calls[0]?.headers.get('Authorization')).toBeNull();
});

it('retries soon after a lost refresh answer, while the old token is still valid', async () => {
  vi.mocked(globalThis.fetch).mockImplementationOnce(async (request) => {
    calls.push(request as Request);
    throw new TypeError('network');
  });
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(paths()).toEqual(['/refresh', '/refresh']);
});

it('does not refresh an expired session or after the sign-out', async () => {
  const signedInAgain = session.waitForSignIn(session.tokenVersion()).catch(() => undefined);
  expect(session.state().isExpired).toBe(true);
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(calls).toEqual([]);
  session.end();
  await signedInAgain;
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(calls).toEqual([]);
});

it('refreshes the token at the start', async () => {
  await resumeSession();
  expect([paths(), session.state().profile?.name]).toEqual([['/refresh'], 'Anna']);
});

it('sends nothing at the start of a browser without a session', async () => {
  session.end();
  await resumeSession();
  expect([calls, session.state().profile]).toEqual([[], null]);
});

it('uses the language of the profile', async () => {
  vi.useRealTimers();
  vi.mocked(globalThis.fetch).mockImplementation(
    async () => new Response(JSON.stringify({ user: { ...profile, locale: 'de' } })),
  );
  await resumeSession();
  expect([i18next.language, session.state().profile?.locale]).toEqual(['de', 'de']);
  await setLanguage('en');
});

it('saves a chosen language in the profile if the profile has one', async () => {
  vi.useRealTimers();
  await chooseLanguage('fr');
  expect(calls).toEqual([]);
  session.updateProfile({ ...profile, locale: 'fr' } as Profile);
  vi.mocked(globalThis.fetch).mockImplementation(async (request) => {
    calls.push(request as Request);
    return new Response(JSON.stringify({ data: { ...profile, locale: 'en' } }));
  });
  await chooseLanguage('en');
  expect([paths(), await calls[0]?.json()]).toEqual([['/api/v1/profile'], { locale: 'en' }]);
});

it('is signed out when the server rejects the token at the start', async () => {
  session.end();
  setSignedInCookie();
  vi.mocked(globalThis.fetch).mockImplementation(async () => unauthenticated());
  await resumeSession();
  expect([session.state(), hasSignedInCookie()]).toEqual([{ profile: null, isExpired: false }, false]);
});

it('signs out after the server has ended the session, and keeps browser preferences', async () => {
  localStorage.setItem('panel.theme', 'dark');
  vi.mocked(globalThis.fetch).mockImplementation(async () => {
    // As `Clear-Site-Data` does.
    localStorage.clear();
    return new Response(null, { status: 204 });
  });
  await signOut();
  expect(session.state().profile).toBeNull();
  expect(localStorage.getItem('panel.theme')).toBe('dark');
  session.begin(profile);
  vi.mocked(globalThis.fetch).mockImplementation(async () => unauthenticated());
  await signOut();
  expect(session.state()).toEqual({ profile: null, isExpired: false });
});

it('stays signed in when the server did not end the session', async () => {
  vi.mocked(globalThis.fetch).mockRejectedValue(new TypeError('network'));
  await expect(signOut()).rejects.toMatchObject({ code: 'unreachable' });
  expect(session.state().profile?.name).toBe('Anna');
  expect(session.canSignInAgain()).toBe(true);
});
