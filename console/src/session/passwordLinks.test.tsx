import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { ForgotPassword } from './ForgotPassword';
import { linkToken, takeLinkToken } from './linkToken';
import { SetPassword } from './SetPassword';
import { type PublicSettings, Settings } from './settings';
import { type Profile, session } from './store';

vi.mock('./Brand', () => ({ Brand: () => null }));

let sent: { path: string; body: unknown }[];
let answer: (path: string) => Response;

beforeAll(startTexts);
beforeEach(() => {
  sent = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const path = new URL(request.url).pathname;
    sent.push({ path, body: await request.clone().json() });
    return answer(path);
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
});

const link = { purpose: 'password_reset', name: 'Anna', email: 'anna@panel.test', expires_at: '2026-11-26 09:00:00' };
const refusal = (status: number, code: string, errors = {}) =>
  new Response(JSON.stringify({ code, message: 'No.', errors }), { status });

function open(address: string): void {
  history.replaceState(null, '', address);
  takeLinkToken();
  render(<SetPassword />, { wrapper: Queries });
}

it('sets a password by a link, whose token leaves the address at once', async () => {
  session.begin({ id: 1, name: 'Anna', email: 'anna@panel.test' } as Profile);
  answer = (path) => (path.endsWith('show') ? new Response(JSON.stringify({ data: link })) : new Response('{}'));
  open('/set-password#token=secret');
  expect([location.hash, linkToken()]).toEqual(['', 'secret']);
  await screen.findByText(/sets the password of Anna/);
  fireEvent.change(screen.getByLabelText(/New password/), { target: { value: 'lamps rain over violet' } });
  fireEvent.click(screen.getByRole('button', { name: 'Set password' }));
  await screen.findByText('Your password is set');
  expect(sent.at(-1)).toEqual({
    path: '/password-links/use',
    body: { token: 'secret', password: 'lamps rain over violet' },
  });
  expect(session.state().profile, 'their session has ended').toBeNull();
});

it('keeps what was typed where the password is refused', async () => {
  answer = (path) =>
    path.endsWith('show')
      ? new Response(JSON.stringify({ data: link }))
      : refusal(422, 'invalid', { password: ['Take another.'] });
  open('/set-password#token=secret');
  await screen.findByText(/sets the password of Anna/);
  fireEvent.change(screen.getByLabelText(/New password/), { target: { value: 'Football123' } });
  fireEvent.click(screen.getByRole('button', { name: 'Set password' }));
  await screen.findByText('Take another.');
  expect(screen.getByLabelText(/New password/)).toHaveProperty('value', 'Football123');
});

it('says that a link is over', async () => {
  answer = () => refusal(409, 'link_over');
  open('/set-password#token=used');
  await screen.findByText('This link no longer works');
  expect(screen.getByRole('link', { name: 'Forgot your password?' }).getAttribute('href')).toBe('/forgot-password');
});

it('asks for a link, and answers the same for every address', async () => {
  answer = () => new Response(null, { status: 204 });
  render(
    <Settings value={{ captcha_is_enabled: false } as PublicSettings}>
      <ForgotPassword />
    </Settings>,
    { wrapper: Queries },
  );
  fireEvent.change(screen.getByLabelText(/Email/), { target: { value: ' anna@panel.test ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Send link' }));
  await screen.findByText('Check your email');
  await waitFor(() => expect(sent).toEqual([{ path: '/password-resets', body: { email: 'anna@panel.test' } }]));
});
