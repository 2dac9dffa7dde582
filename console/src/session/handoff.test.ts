import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeCode } from './handoff';
import { type Profile, session } from './store';

const profile = { id: 1, name: 'Anna' } as Profile;
let answers: () => Response;

beforeEach(() => {
  sessionStorage.clear();
  answers = () => new Response(JSON.stringify({ user: profile }));
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answers());
});
afterEach(() => {
  session.end();
  vi.restoreAllMocks();
});

const at = () => location.pathname + location.search;

async function opened(address: string) {
  history.replaceState(null, '', address);
  await takeCode();
}

it('leads from the root to where someone wanted to go before', async () => {
  sessionStorage.setItem('panel.destination', '/orders?status=stopped');
  await opened('/?token=code');
  expect([at(), session.state().profile?.name]).toEqual(['/orders?status=stopped', 'Anna']);
  await opened('/?token=code&redirect=%2Fusers%2F7');
  expect(at()).toBe('/users/7');
  await opened('/?token=code&redirect=https%3A%2F%2Fevil.example');
  expect(at()).toBe('/');
  await opened('/?token=code');
  expect(at()).toBe('/');
});

it('stays where the page was opened, and where the code is refused', async () => {
  sessionStorage.setItem('panel.destination', '/orders');
  await opened('/users?token=code&status=active');
  expect(at()).toBe('/users?status=active');
  session.end();
  answers = () => new Response(JSON.stringify({ code: 'unknown', message: 'No.' }), { status: 401 });
  await opened('/?token=used');
  expect([at(), sessionStorage.getItem('panel.destination')]).toEqual(['/', '/orders']);
});
