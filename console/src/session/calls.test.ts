import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepFresh, resume } from './calls';
import { type Profile, session } from './store';
import { writeToken } from './token';

const MINUTES_20 = 1_200_000;
const profile = { id: 1, name: 'Anna' } as Profile;
let stop: () => void;
let refreshes: string[];

beforeEach(() => {
  vi.useFakeTimers();
  refreshes = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    refreshes.push(new URL((request as Request).url).pathname);
    return new Response(JSON.stringify({ user: profile }), { headers: { Authorization: 'Bearer newer' } });
  });
  session.begin(profile, 'first');
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
  expect(refreshes).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(refreshes).toEqual(['/refresh']);
  await vi.waitFor(() => expect(session.token()).toBe('newer'));
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(refreshes).toHaveLength(2);
});

it('asks for no token while the session is asleep or signed out', async () => {
  const revived = session.revived('first').catch(() => undefined);
  expect(session.state().asleep).toBe(true);
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(refreshes).toEqual([]);
  session.end();
  await revived;
  await vi.advanceTimersByTimeAsync(MINUTES_20);
  expect(refreshes).toEqual([]);
});

it('replaces the token of the cookie at the start', async () => {
  await resume();
  expect(refreshes).toEqual(['/refresh']);
  expect([session.token(), session.state().profile?.name]).toEqual(['newer', 'Anna']);
});

it('is signed out where the token of the cookie is refused at the start', async () => {
  session.end();
  writeToken('ended');
  const refused = () => new Response(JSON.stringify({ code: 'unauthenticated', message: 'No.' }), { status: 401 });
  vi.mocked(globalThis.fetch).mockImplementation(async () => refused());
  await resume();
  expect([session.token(), session.state().profile]).toEqual([null, null]);
});
