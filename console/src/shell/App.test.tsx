import { act, cleanup, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { type PublicSettings, SettingsContext } from '@/session/settings';
import { type Profile, session } from '@/session/store';
import { App } from './App';

vi.mock('@/session/Login', () => ({ Login: () => <h1>Sign in</h1> }));
vi.mock('./Shell', () => ({ Shell: ({ children }: { children: ReactNode }) => <main>{children}</main> }));
vi.mock('./screens', () => ({
  REDIRECTS: {},
  SCREENS: [{ path: '/orders', permissions: [], component: () => <h1>Orders</h1> }],
}));

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  session.end();
  sessionStorage.clear();
});

it('keeps the query of the URL when the user signs out, and opens the same screen after the next sign-in', async () => {
  const profile = { id: 1, name: 'Anna', permissions: [] } as unknown as Profile;
  history.replaceState(null, '', '/orders?status=completed&page=2');
  session.begin(profile);
  render(
    <SettingsContext value={{ needs_setup: false, panel_name: 'Panel' } as PublicSettings}>
      <App />
    </SettingsContext>,
  );
  await screen.findByRole('heading', { name: 'Orders' });
  act(() => session.end());
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(location.pathname + location.search).toBe('/login?status=completed&page=2');
  act(() => session.begin(profile));
  await screen.findByRole('heading', { name: 'Orders' });
  expect(location.pathname + location.search).toBe('/orders?status=completed&page=2');
});
