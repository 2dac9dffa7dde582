import i18next from 'i18next';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { speak, startTexts } from '@/i18n';
import { chooseLanguage, keepFresh, resume, signOut } from './calls';
import { isMarked, markSignedIn } from './mark';
import { type Profile, session } from './store';

const MINUTES_20 = 1_200_000;
const profile = { id: 1, name: 'Anna' } as Profile;
let stop: () => void;
let calls: Request[];

const paths = () => calls.map((call) => new URL(call.url).pathname);
const refused = () => new Response(JSON.stringify({ code: 'unauthenticated', message: 'No.' }), { status: 401 });

beforeAll(startTexts);
beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    calls.push(request as Request);
    return new Response(JSON.stringify({ user: profile }));
  });
  session.begin(profile);
  stop = keepFresh();
});
afterEach(() => {
  stop();
  session.end();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('replaces the token every 20 minutes, and not before', async () => {
  await vi.advanceTimersByTimeAsync(MINUTES_20 - 1);
  expect(paths()).toEqual([]);
  const before = session.epoch();
  await vi.advanceTimersByTimeAsync(1);
  expect(paths()).toEqual(['/refresh']);
  await vi.waitFor(() => expect(session.epoch()).toBe(before + 1));
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(calls).toHaveLength(2);
});

it('asks for the session in a cookie, and never names a token', async () => {
  await resume();
  expect(calls[0]?.headers.get('X-Panel-Session')).toBe('cookie');
  expect(calls[0]?.headers.get('Authorization')).toBeNull();
});

it('asks again soon where the answer with the new token was lost, as the old one works for 30 seconds', async () => {
  vi.mocked(globalThis.fetch).mockImplementationOnce(async (request) => {
    calls.push(request as Request);
    throw new TypeError('network');
  });
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(paths()).toEqual(['/refresh', '/refresh']);
});

it('asks for no token while the session is asleep or signed out', async () => {
  const revived = session.revived(session.epoch()).catch(() => undefined);
  expect(session.state().asleep).toBe(true);
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(calls).toEqual([]);
  session.end();
  await revived;
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(calls).toEqual([]);
});

it('replaces the token of the cookie at the start', async () => {
  await resume();
  expect([paths(), session.state().profile?.name]).toEqual([['/refresh'], 'Anna']);
});

it('asks nothing at the start of a browser that has no session', async () => {
  session.end();
  await resume();
  expect([calls, session.state().profile]).toEqual([[], null]);
});

it('speaks the language of the profile', async () => {
  vi.useRealTimers();
  vi.mocked(globalThis.fetch).mockImplementation(
    async () => new Response(JSON.stringify({ user: { ...profile, locale: 'de' } })),
  );
  await resume();
  expect([i18next.language, session.state().profile?.locale]).toEqual(['de', 'de']);
  await speak('en');
});

it('keeps a language that is chosen in the profile, where that has one', async () => {
  vi.useRealTimers();
  await chooseLanguage('fr');
  expect(calls).toEqual([]);
  session.renew({ ...profile, locale: 'fr' } as Profile);
  vi.mocked(globalThis.fetch).mockImplementation(async (request) => {
    calls.push(request as Request);
    return new Response(JSON.stringify({ data: { ...profile, locale: 'en' } }));
  });
  await chooseLanguage('en');
  expect([paths(), await calls[0]?.json()]).toEqual([['/api/v1/profile'], { locale: 'en' }]);
});

it('is signed out where the token of the cookie is refused at the start, and asks no more', async () => {
  session.end();
  markSignedIn();
  vi.mocked(globalThis.fetch).mockImplementation(async () => refused());
  await resume();
  expect([session.state(), isMarked()]).toEqual([{ profile: null, asleep: false }, false]);
});

it('signs out once the server has ended the session, and keeps what the browser prefers', async () => {
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
  vi.mocked(globalThis.fetch).mockImplementation(async () => refused());
  await signOut();
  expect(session.state()).toEqual({ profile: null, asleep: false });
});

it('stays signed in, and says so, where the server did not end the session', async () => {
  vi.mocked(globalThis.fetch).mockRejectedValue(new TypeError('network'));
  await expect(signOut()).rejects.toMatchObject({ code: 'unreachable' });
  expect(session.state().profile?.name).toBe('Anna');
  expect(session.canRevive()).toBe(true);
});
