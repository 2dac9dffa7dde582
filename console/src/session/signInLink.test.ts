import { renderHook } from '@testing-library/react';
import { act } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  acceptSignInLink,
  askToSignInWithCode,
  declineSignInLink,
  extractSignInCode,
  useSignInLinkOffer,
} from './signInLink';
import { type Profile, session } from './store';

const anna = { id: 1, name: 'Anna' } as Profile;
const bob = { id: 2, name: 'Bob' } as Profile;
const owner = { id: 1, name: 'Anna', email: 'anna@panel.test', expires_at: '2026-11-26 09:00:00' };
let requestedPaths: string[];
let isCodeValid: boolean;

const jsonResponse = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), init);

beforeEach(() => {
  sessionStorage.clear();
  requestedPaths = [];
  isCodeValid = true;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const path = new URL((request as Request).url).pathname;
    requestedPaths.push(path);
    if (!isCodeValid) return jsonResponse({ code: 'handoff_code_over', message: 'No.' }, { status: 422 });
    if (path === '/handoff/show') return jsonResponse({ data: owner });
    return jsonResponse({ user: anna });
  });
});
afterEach(() => {
  act(declineSignInLink);
  session.end();
  vi.restoreAllMocks();
});

const currentUrl = () => location.pathname + location.search;
const userName = () => session.getState().profile?.name ?? null;
const currentOffer = () => renderHook(useSignInLinkOffer).result.current;

async function openUrl(url: string) {
  history.replaceState(null, '', url);
  const code = extractSignInCode();
  if (code) await act(() => askToSignInWithCode(code));
  return code;
}

it('asks before it signs in', async () => {
  expect(await openUrl('/?token=code')).toBe('code');
  expect([requestedPaths, currentUrl(), userName()]).toEqual([['/handoff/show'], '/', null]);
  expect(currentOffer()).toEqual({ code: 'code', owner });
  await act(() => acceptSignInLink('code'));
  expect([requestedPaths.at(-1), userName(), currentOffer()]).toEqual(['/handoff', 'Anna', null]);
});

it('never replaces an active session without asking', async () => {
  session.begin(bob);
  await openUrl('/?token=code');
  expect(userName()).toBe('Bob');
  expect(currentOffer()?.owner?.name).toBe('Anna');
  act(declineSignInLink);
  expect([userName(), currentOffer(), requestedPaths]).toEqual(['Bob', null, ['/handoff/show']]);
});

it('keeps the session if the code belongs to the same user or has expired', async () => {
  session.begin(anna);
  await openUrl('/login?token=code&redirect=%2Forders');
  expect([currentOffer(), userName(), currentUrl()]).toEqual([null, 'Anna', '/orders']);
  isCodeValid = false;
  await openUrl('/users?token=used');
  expect([currentOffer(), userName(), currentUrl()]).toEqual([null, 'Anna', '/users']);
});

it('opens the saved destination from the root and the sign-in page only', async () => {
  const signInAt = async (url: string) => {
    await openUrl(url);
    await act(() => acceptSignInLink('code'));
    session.end();
    return currentUrl();
  };
  sessionStorage.setItem('panel.destination', '/orders?status=stopped');
  expect(await signInAt('/?token=code')).toBe('/orders?status=stopped');
  expect(await signInAt('/login?token=code&redirect=%2Fusers%2F7')).toBe('/users/7');
  expect(await signInAt('/login#token=code&redirect=%2Fusers%2F7')).toBe('/users/7');
  expect(await signInAt('/?token=code&redirect=https%3A%2F%2Fevil.example')).toBe('/');
  expect(await signInAt('/?token=code&redirect=%2F%2Fevil.example')).toBe('/');
  expect(await signInAt('/users?token=code&status=active')).toBe('/users?status=active');
});

it('reports an expired code, and ignores tokens in the URLs of other pages', async () => {
  isCodeValid = false;
  await openUrl('/?token=used');
  expect([currentOffer(), userName()]).toEqual([{ code: 'used', owner: null }, null]);
  expect(await openUrl('/setup?token=first')).toBeNull();
  expect(currentUrl()).toBe('/setup?token=first');
  expect(await openUrl('/set-password#token=emailed')).toBeNull();
  expect(location.hash).toBe('#token=emailed');
});
