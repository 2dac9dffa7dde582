import i18next from 'i18next';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n, setLanguage } from '@/i18n';
import { chooseLanguage, resumeSession, signOut, startTokenRefresh } from './requests';
import { hasSignedInCookie, setSignedInCookie } from './signedInCookie';
import { type Profile, session } from './store';

const REFRESH_INTERVAL_MS = 1_200_000;
const profile = { id: 1, name: 'Anna' } as Profile;
let stopTokenRefresh: () => void;
let requests: Request[];

const requestedPaths = () => requests.map((request) => new URL(request.url).pathname);
const unauthenticatedResponse = () =>
  new Response(JSON.stringify({ code: 'unauthenticated', message: 'No.' }), { status: 401 });

beforeAll(initI18n);
beforeEach(() => {
  vi.useFakeTimers();
  requests = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    requests.push(request as Request);
    return new Response(JSON.stringify({ user: profile }));
  });
  session.begin(profile);
  stopTokenRefresh = startTokenRefresh();
});
afterEach(() => {
  stopTokenRefresh();
  session.end();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('refreshes the token every 20 minutes', async () => {
  await vi.advanceTimersByTimeAsync(REFRESH_INTERVAL_MS - 1);
  expect(requestedPaths()).toEqual([]);
  const oldVersion = session.getTokenVersion();
  await vi.advanceTimersByTimeAsync(1);
  expect(requestedPaths()).toEqual(['/refresh']);
  await vi.waitFor(() => expect(session.getTokenVersion()).toBe(oldVersion + 1));
  await vi.advanceTimersByTimeAsync(REFRESH_INTERVAL_MS);
  expect(requests).toHaveLength(2);
});

it('requests a session in a cookie, and sends no token', async () => {
  await resumeSession();
  expect(requests[0]?.headers.get('X-Panel-Session')).toBe('cookie');
  expect(requests[0]?.headers.get('Authorization')).toBeNull();
});

it('retries a refresh whose response was lost, while the old token is still valid', async () => {
  vi.mocked(globalThis.fetch).mockImplementationOnce(async (request) => {
    requests.push(request as Request);
    throw new TypeError('network');
  });
  await vi.advanceTimersByTimeAsync(REFRESH_INTERVAL_MS);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(requestedPaths()).toEqual(['/refresh', '/refresh']);
});

it('does not refresh the token while the session is expired or after the sign-out', async () => {
  const signInPromise = session.waitForSignIn(session.getTokenVersion()).catch(() => undefined);
  expect(session.getState().isExpired).toBe(true);
  await vi.advanceTimersByTimeAsync(REFRESH_INTERVAL_MS);
  expect(requests).toEqual([]);
  session.end();
  await signInPromise;
  await vi.advanceTimersByTimeAsync(REFRESH_INTERVAL_MS);
  expect(requests).toEqual([]);
});

it('refreshes the token when the console starts', async () => {
  await resumeSession();
  expect([requestedPaths(), session.getState().profile?.name]).toEqual([['/refresh'], 'Anna']);
});

it('sends nothing when the console starts without a session', async () => {
  session.end();
  await resumeSession();
  expect([requests, session.getState().profile]).toEqual([[], null]);
});

it('uses the language of the profile', async () => {
  vi.useRealTimers();
  vi.mocked(globalThis.fetch).mockImplementation(
    async () => new Response(JSON.stringify({ user: { ...profile, locale: 'de' } })),
  );
  await resumeSession();
  expect([i18next.language, session.getState().profile?.locale]).toEqual(['de', 'de']);
  await setLanguage('en');
});

it('saves the selected language in the profile if the profile has a language', async () => {
  vi.useRealTimers();
  await chooseLanguage('fr');
  expect(requests).toEqual([]);
  session.updateProfile({ ...profile, locale: 'fr' } as Profile);
  vi.mocked(globalThis.fetch).mockImplementation(async (request) => {
    requests.push(request as Request);
    return new Response(JSON.stringify({ data: { ...profile, locale: 'en' } }));
  });
  await chooseLanguage('en');
  expect([requestedPaths(), await requests[0]?.json()]).toEqual([['/api/v1/profile'], { locale: 'en' }]);
});

it('is signed out if the server rejects the token when the console starts', async () => {
  session.end();
  setSignedInCookie();
  vi.mocked(globalThis.fetch).mockImplementation(async () => unauthenticatedResponse());
  await resumeSession();
  expect([session.getState(), hasSignedInCookie()]).toEqual([{ profile: null, isExpired: false }, false]);
});

it('signs out after the server has ended the session, and keeps browser preferences', async () => {
  localStorage.setItem('panel.theme', 'dark');
  vi.mocked(globalThis.fetch).mockImplementation(async () => {
    // The browser does this for the header `Clear-Site-Data`.
    localStorage.clear();
    return new Response(null, { status: 204 });
  });
  await signOut();
  expect(session.getState().profile).toBeNull();
  expect(localStorage.getItem('panel.theme')).toBe('dark');
  session.begin(profile);
  vi.mocked(globalThis.fetch).mockImplementation(async () => unauthenticatedResponse());
  await signOut();
  expect(session.getState()).toEqual({ profile: null, isExpired: false });
});

it('stays signed in if the server has not ended the session', async () => {
  vi.mocked(globalThis.fetch).mockRejectedValue(new TypeError('network'));
  await expect(signOut()).rejects.toMatchObject({ code: 'unreachable' });
  expect(session.getState().profile?.name).toBe('Anna');
  expect(session.canSignInAgain()).toBe(true);
});
