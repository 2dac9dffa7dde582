import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { get } from '@/api/client';
import { ASLEEP_MS, type Profile, session } from './store';

const profile = { id: 1, name: 'Anna' } as Profile;
const otherTab = new BroadcastChannel('panel.session');
const refused = () => new Response('{"code":"unauthenticated"}', { status: 401 });

/** What another tab did reaches this one. */
async function answeredWith(user: number | null): Promise<void> {
  const before = session.epoch();
  otherTab.postMessage({ user });
  await vi.waitFor(() => {
    if (user !== null && session.epoch() === before) throw new Error('not yet');
    if (user === null && session.state().profile) throw new Error('not yet');
  });
}

beforeEach(() => session.begin(profile));
afterEach(() => {
  session.end();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('sends a refused call once more by itself, as another tab may have replaced the cookie', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementationOnce(async () => refused());
  fetched.mockImplementation(async () => new Response('{}'));
  await get('/api/v1/admin/orders');
  expect(fetched).toHaveBeenCalledTimes(2);
  expect(session.state().asleep).toBe(false);
});

it('waits until the person has signed in again in another tab, and then sends the call', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => refused());
  const call = get('/api/v1/admin/orders');
  await vi.waitFor(() => expect(session.state().asleep).toBe(true));
  fetched.mockImplementation(async () => new Response('{}'));
  await answeredWith(1);
  expect((await call).status).toBe(200);
  expect(session.state().asleep).toBe(false);
});

it('forgets the person ten minutes after their session ended, unless they sign in again', async () => {
  vi.useFakeTimers();
  const first = session.revived(session.epoch());
  vi.advanceTimersByTime(ASLEEP_MS - 1);
  expect(session.state()).toEqual({ profile, asleep: true });
  session.begin(profile);
  await first;
  vi.advanceTimersByTime(ASLEEP_MS);
  expect(session.state()).toEqual({ profile, asleep: false });

  const second = session.revived(session.epoch());
  const refused = expect(second).rejects.toMatchObject({ status: 401 });
  vi.advanceTimersByTime(ASLEEP_MS / 2);
  // Another call that is refused meanwhile gives no more time.
  const third = expect(session.revived(session.epoch())).rejects.toMatchObject({ status: 401 });
  vi.advanceTimersByTime(ASLEEP_MS / 2);
  expect(session.state()).toEqual({ profile: null, asleep: false });
  await Promise.all([refused, third]);
});

it('is signed out with the tab that signs out', async () => {
  await answeredWith(null);
  expect(session.state()).toEqual({ profile: null, asleep: false });
});

it('does not ask for a sign-in while the person signs out, nor without a session', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => refused());
  session.leave(true);
  await expect(get('/api/v1/admin/orders')).rejects.toMatchObject({ status: 401 });
  session.end();
  await expect(get('/api/v1/admin/orders')).rejects.toMatchObject({ status: 401 });
  expect(session.state().asleep).toBe(false);
  expect(fetched).toHaveBeenCalledTimes(2);
});
