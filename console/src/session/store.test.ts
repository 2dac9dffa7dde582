import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { get } from '@/api/client';
import { type Profile, SIGN_IN_AGAIN_MS, session } from './store';

const profile = { id: 1, name: 'Anna' } as Profile;
const otherTab = new BroadcastChannel('panel.session');
const unauthenticated = () => new Response('{"code":"unauthenticated"}', { status: 401 });

/** Sends a message as another tab does, and waits until this tab has handled it. */
async function sendFromOtherTab(user: number | null): Promise<void> {
  const oldVersion = session.tokenVersion();
  otherTab.postMessage({ user });
  await vi.waitFor(() => {
    if (user !== null && session.tokenVersion() === oldVersion) throw new Error('not yet');
    if (user === null && session.state().profile) throw new Error('not yet');
  });
}

beforeEach(() => session.begin(profile));
afterEach(() => {
  session.end();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('sends a call again after a 401, because another tab may have replaced the cookie', async () => {
  const fetchMock = vi.spyOn(globalThis, 'fetch').mockImplementationOnce(async () => unauthenticated());
  fetchMock.mockImplementation(async () => new Response('{}'));
  await get('/api/v1/admin/orders');
  expect(fetchMock).toHaveBeenCalledTimes(2);
  expect(session.state().isExpired).toBe(false);
});

it('waits until the user has signed in again in another tab, and then sends the call again', async () => {
  const fetchMock = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => unauthenticated());
  const call = get('/api/v1/admin/orders');
  await vi.waitFor(() => expect(session.state().isExpired).toBe(true));
  fetchMock.mockImplementation(async () => new Response('{}'));
  await sendFromOtherTab(1);
  expect((await call).status).toBe(200);
  expect(session.state().isExpired).toBe(false);
});

it('clears the profile ten minutes after the session has expired, unless the user signs in again', async () => {
  vi.useFakeTimers();
  const firstCall = session.waitForSignIn(session.tokenVersion());
  vi.advanceTimersByTime(SIGN_IN_AGAIN_MS - 1);
  expect(session.state()).toEqual({ profile, isExpired: true });
  session.begin(profile);
  await firstCall;
  vi.advanceTimersByTime(SIGN_IN_AGAIN_MS);
  expect(session.state()).toEqual({ profile, isExpired: false });

  const secondCall = session.waitForSignIn(session.tokenVersion());
  const secondRejected = expect(secondCall).rejects.toMatchObject({ status: 401 });
  vi.advanceTimersByTime(SIGN_IN_AGAIN_MS / 2);
  // Another 401 does not extend the time.
  const thirdRejected = expect(session.waitForSignIn(session.tokenVersion())).rejects.toMatchObject({ status: 401 });
  vi.advanceTimersByTime(SIGN_IN_AGAIN_MS / 2);
  expect(session.state()).toEqual({ profile: null, isExpired: false });
  await Promise.all([secondRejected, thirdRejected]);
});

it('is signed out when another tab signs out', async () => {
  await sendFromOtherTab(null);
  expect(session.state()).toEqual({ profile: null, isExpired: false });
});

it('does not ask for a sign-in during the sign-out or without a session', async () => {
  const fetchMock = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => unauthenticated());
  session.setSigningOut(true);
  await expect(get('/api/v1/admin/orders')).rejects.toMatchObject({ status: 401 });
  session.end();
  await expect(get('/api/v1/admin/orders')).rejects.toMatchObject({ status: 401 });
  expect(session.state().isExpired).toBe(false);
  expect(fetchMock).toHaveBeenCalledTimes(2);
});
