import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepFresh } from './calls';
import { type Profile, session } from './store';

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
