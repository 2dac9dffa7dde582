import { renderHook } from '@testing-library/react';
import { act } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { accept, decline, offerSignIn, takeCode, useOffer } from './handoff';
import { type Profile, session } from './store';

const anna = { id: 1, name: 'Anna' } as Profile;
const bob = { id: 2, name: 'Bob' } as Profile;
const owner = { id: 1, name: 'Anna', email: 'anna@panel.test', expires_at: '2026-11-26 09:00:00' };
let calls: string[];
let isGood: boolean;

const answer = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), init);

beforeEach(() => {
  sessionStorage.clear();
  calls = [];
  isGood = true;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const path = new URL((request as Request).url).pathname;
    calls.push(path);
    if (!isGood) return answer({ code: 'handoff_code_over', message: 'No.' }, { status: 422 });
    if (path === '/handoff/show') return answer({ data: owner });
    return answer({ user: anna });
  });
});
afterEach(() => {
  act(decline);
  session.end();
  vi.restoreAllMocks();
});

const at = () => location.pathname + location.search;
const signedIn = () => session.state().profile?.name ?? null;
const offered = () => renderHook(useOffer).result.current;

async function opened(address: string) {
  history.replaceState(null, '', address);
  const code = takeCode();
  if (code) await act(() => offerSignIn(code));
  return code;
}

it('asks before it signs in', async () => {
  expect(await opened('/?token=code')).toBe('code');
  expect([calls, at(), signedIn()]).toEqual([['/handoff/show'], '/', null]);
  expect(offered()).toEqual({ code: 'code', owner });
  await act(() => accept('code'));
  expect([calls.at(-1), signedIn(), offered()]).toEqual(['/handoff', 'Anna', null]);
});

it('never replaces a live session by itself', async () => {
  session.begin(bob);
  await opened('/?token=code');
  expect(signedIn()).toBe('Bob');
  expect(offered()?.owner?.name).toBe('Anna');
  act(decline);
  expect([signedIn(), offered(), calls]).toEqual(['Bob', null, ['/handoff/show']]);
});

it('goes on in a session of the same person, and in any where the code is over', async () => {
  session.begin(anna);
  await opened('/login?token=code&redirect=%2Forders');
  expect([offered(), signedIn(), at()]).toEqual([null, 'Anna', '/orders']);
  isGood = false;
  await opened('/users?token=used');
  expect([offered(), signedIn(), at()]).toEqual([null, 'Anna', '/users']);
});

it('leads from the root to where someone wanted to go before', async () => {
  const through = async (address: string) => {
    await opened(address);
    await act(() => accept('code'));
    session.end();
    return at();
  };
  sessionStorage.setItem('panel.destination', '/orders?status=stopped');
  expect(await through('/?token=code')).toBe('/orders?status=stopped');
  expect(await through('/login?token=code&redirect=%2Fusers%2F7')).toBe('/users/7');
  expect(await through('/login#token=code&redirect=%2Fusers%2F7')).toBe('/users/7');
  expect(await through('/?token=code&redirect=https%3A%2F%2Fevil.example')).toBe('/');
  expect(await through('/?token=code&redirect=%2F%2Fevil.example')).toBe('/');
  expect(await through('/users?token=code&status=active')).toBe('/users?status=active');
});

it('says that a code is over, and leaves the code of a new panel alone', async () => {
  isGood = false;
  await opened('/?token=used');
  expect([offered(), signedIn()]).toEqual([{ code: 'used', owner: null }, null]);
  expect(await opened('/setup?token=first')).toBeNull();
  expect(at()).toBe('/setup?token=first');
  expect(await opened('/set-password#token=emailed')).toBeNull();
  expect(location.hash).toBe('#token=emailed');
});
