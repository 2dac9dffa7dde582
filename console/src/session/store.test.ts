import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { get } from '@/api/client';
import { type Profile, SIGN_IN_AGAIN_TIMEOUT_MS, session } from './store';

const profile = { id: 1, name: 'Anna' } as Profile;
const otherTab = new BroadcastChannel('panel.session');
const unauthenticatedResponse = () => new Response('{"code":"unauthenticated"}', { status: 401 });

/** Sends a message as another tab does, and waits until this tab has handled it. */
async function sendFromOtherTab(userId: number | null): Promise<void> {
  const oldVersion = session.getTokenVersion();
  otherTab.postMessage({ userId });
  await vi.waitFor(() => {
    if (userId !== null && session.getTokenVersion() === oldVersion)
      throw new Error('this tab has not handled the message yet');
    if (userId === null && session.getState().profile) throw new Error('this tab has not handled the message yet');
  });
}

beforeEach(() => session.begin(profile));
afterEach(() => {
  session.end();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('sends a request again after a 401, because another tab may have replaced the cookie', async () => {
  const fetchMock = vi.spyOn(globalThis, 'fetch').mockImplementationOnce(async () => unauthenticatedResponse());
  fetchMock.mockImplementation(async () => new Response('{}'));
  await get('/api/v1/admin/orders');
  expect(fetchMock).toHaveBeenCalledTimes(2);
  expect(session.getState().isExpired).toBe(false);
});

it('waits until the user has signed in again in another tab, and then sends the request again', async () => {
  const fetchMock = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => unauthenticatedResponse());
  const response = get('/api/v1/admin/orders');
  await vi.waitFor(() => expect(session.getState().isExpired).toBe(true));
  fetchMock.mockImplementation(async () => new Response('{}'));
  await sendFromOtherTab(1);
  expect((await response).status).toBe(200);
  expect(session.getState().isExpired).toBe(false);
});

it('clears the profile ten minutes after the session has expired, unless the user signs in again', async () => {
  vi.useFakeTimers();
  const firstRequest = session.waitForSignIn(session.getTokenVersion());
  vi.advanceTimersByTime(SIGN_IN_AGAIN_TIMEOUT_MS - 1);
  expect(session.getState()).toEqual({ profile, isExpired: true });
  session.begin(profile);
  await firstRequest;
  vi.advanceTimersByTime(SIGN_IN_AGAIN_TIMEOUT_MS);
  expect(session.getState()).toEqual({ profile, isExpired: false });

  const secondRequest = session.waitForSignIn(session.getTokenVersion());
  const secondRejection = expect(secondRequest).rejects.toMatchObject({ status: 401 });
  vi.advanceTimersByTime(SIGN_IN_AGAIN_TIMEOUT_MS / 2);
  // Another 401 does not extend the time.
  const thirdRejection = expect(session.waitForSignIn(session.getTokenVersion())).rejects.toMatchObject({
    status: 401,
  });
  vi.advanceTimersByTime(SIGN_IN_AGAIN_TIMEOUT_MS / 2);
  expect(session.getState()).toEqual({ profile: null, isExpired: false });
  await Promise.all([secondRejection, thirdRejection]);
});

it('is signed out when another tab signs out', async () => {
  await sendFromOtherTab(null);
  expect(session.getState()).toEqual({ profile: null, isExpired: false });
});

it('does not ask for a sign-in during the sign-out or without a session', async () => {
  const fetchMock = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => unauthenticatedResponse());
  session.setSigningOut(true);
  await expect(get('/api/v1/admin/orders')).rejects.toMatchObject({ status: 401 });
  session.end();
  await expect(get('/api/v1/admin/orders')).rejects.toMatchObject({ status: 401 });
  expect(session.getState().isExpired).toBe(false);
  expect(fetchMock).toHaveBeenCalledTimes(2);
});
