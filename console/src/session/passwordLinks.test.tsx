import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { ForgotPassword } from './ForgotPassword';
import { getPasswordLinkToken, storePasswordLinkToken } from './passwordLinkToken';
import { SetPassword } from './SetPassword';
import { type PublicSettings, SettingsContext } from './settings';
import { type Profile, session } from './store';

vi.mock('./Brand', () => ({ Brand: () => null }));

let requests: { path: string; body: unknown }[];
let createResponse: (path: string) => Response;

beforeAll(initI18n);
beforeEach(() => {
  requests = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const path = new URL(request.url).pathname;
    requests.push({ path, body: await request.clone().json() });
    return createResponse(path);
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
});

const passwordLink = {
  purpose: 'password_reset',
  name: 'Anna',
  email: 'anna@panel.test',
  expires_at: '2026-11-26 09:00:00',
};
const errorResponse = (status: number, code: string, errors = {}) =>
  new Response(JSON.stringify({ code, message: 'No.', errors }), { status });

function openLink(url: string): void {
  history.replaceState(null, '', url);
  storePasswordLinkToken();
  render(<SetPassword />, { wrapper: TestQueryProvider });
}

it('sets a password with the token of a link, and removes the token from the URL immediately', async () => {
  session.begin({ id: 1, name: 'Anna', email: 'anna@panel.test' } as Profile);
  createResponse = (path) =>
    path.endsWith('show') ? new Response(JSON.stringify({ data: passwordLink })) : new Response('{}');
  openLink('/set-password#token=secret');
  expect([location.hash, getPasswordLinkToken()]).toEqual(['', 'secret']);
  await screen.findByText(/sets the password of Anna/);
  fireEvent.change(screen.getByLabelText(/New password/), { target: { value: 'lamps rain over violet' } });
  fireEvent.click(screen.getByRole('button', { name: 'Set password' }));
  await screen.findByText('Your password is set');
  expect(requests.at(-1)).toEqual({
    path: '/password-links/use',
    body: { token: 'secret', password: 'lamps rain over violet' },
  });
  expect(session.getState().profile, 'the session must end with the password change').toBeNull();
});

it('keeps the input if the server rejects the password', async () => {
  createResponse = (path) =>
    path.endsWith('show')
      ? new Response(JSON.stringify({ data: passwordLink }))
      : errorResponse(422, 'invalid', { password: ['Take another.'] });
  openLink('/set-password#token=secret');
  await screen.findByText(/sets the password of Anna/);
  fireEvent.change(screen.getByLabelText(/New password/), { target: { value: 'Football123' } });
  fireEvent.click(screen.getByRole('button', { name: 'Set password' }));
  await screen.findByText('Take another.');
  expect(screen.getByLabelText(/New password/)).toHaveProperty('value', 'Football123');
});

it('reports an expired link', async () => {
  createResponse = () => errorResponse(409, 'link_over');
  openLink('/set-password#token=used');
  await screen.findByText('This link no longer works');
  expect(screen.getByRole('link', { name: 'Forgot your password?' }).getAttribute('href')).toBe('/forgot-password');
});

it('requests a link without revealing whether the account exists', async () => {
  createResponse = () => new Response(null, { status: 204 });
  render(
    <SettingsContext value={{ captcha_is_enabled: false } as PublicSettings}>
      <ForgotPassword />
    </SettingsContext>,
    { wrapper: TestQueryProvider },
  );
  fireEvent.change(screen.getByLabelText(/Email/), { target: { value: ' anna@panel.test ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Send link' }));
  await screen.findByText('Check your email');
  await waitFor(() => expect(requests).toEqual([{ path: '/password-resets', body: { email: 'anna@panel.test' } }]));
});
