import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { get } from '@/api/client';
import { EXPIRED_SESSION_MS, type Profile, session } from './store';

const profile = { id: 1, name: 'Anna' } as Profile;
const otherTab = new BroadcastChannel('panel.session');
const unauthenticated = () => new Response('{"code":"unauthenticated"}', { status: 401 });

/** Sends a message of another tab, and waits until this tab has handled it. */
async function otherTabChanged(user: number | null): Promise<void> {
  const before = session.tokenVersion();
  otherTab.postMessage({ user });
  await vi.waitFor(() => {
    if (user !== null && session.tokenVersion() === before) throw new Error('not yet');
    if (user === null && session.state().profile) throw new Error('not yet');
  });
}

beforeEach(() => session.begin(profile));
afterEach(() => {
  session.end();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('repeats a call after a 401, because another tab may have replaced the cookie', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementationOnce(async () => unauthenticated());
  fetched.mockImplementation(async () => new Response('{}'));
  await get('/api/v1/admin/orders');
  expect(fetched).toHaveBeenCalledTimes(2);
  expect(session.state().isExpired).toBe(false);
});

it('waits until the user has signed in again in another tab, and repeats the call', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => unauthenticated());
  const call = get('/api/v1/admin/orders');
  await vi.waitFor(() => expect(session.state().isExpired).toBe(true));
  fetched.mockImplementation(async () => new Response('{}'));
  await otherTabChanged(1);
  expect((await call).status).toBe(200);
  expect(session.state().isExpired).toBe(false);
});

it('clears the profile ten minutes after the session expired, unless the user signs in again', async () => {
  vi.useFakeTimers();
  const first = session.waitForSignIn(session.tokenVersion());
  vi.advanceTimersByTime(EXPIRED_SESSION_MS - 1);
  expect(session.state()).toEqual({ profile, isExpired: true });
  session.begin(profile);
  await first;
  vi.advanceTimersByTime(EXPIRED_SESSION_MS);
  expect(session.state()).toEqual({ profile, isExpired: false });

  const second = session.waitForSignIn(session.tokenVersion());
  const rejected = expect(second).rejects.toMatchObject({ status: 401 });
  vi.advanceTimersByTime(EXPIRED_SESSION_MS / 2);
  // A further 401 does not extend the time.
  const third = expect(session.waitForSignIn(session.tokenVersion())).rejects.toMatchObject({ status: 401 });
  vi.advanceTimersByTime(EXPIRED_SESSION_MS / 2);
  expect(session.state()).toEqual({ profile: null, isExpired: false });
  await Promise.all([rejected, third]);
});

it('is signed out when another tab signs out', async () => {
  await otherTabChanged(null);
  expect(session.state()).toEqual({ profile: null, isExpired: false });
});

it('does not ask for a sign-in during the sign-out or without a session', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => unauthenticated());
  session.setSigningOut(true);
  await expect(get('/api/v1/admin/orders')).rejects.toMatchObject({ status: 401 });
  session.end();
  await expect(get('/api/v1/admin/orders')).rejects.toMatchObject({ status: 401 });
  expect(session.state().isExpired).toBe(false);
  expect(fetched).toHaveBeenCalledTimes(2);
});
