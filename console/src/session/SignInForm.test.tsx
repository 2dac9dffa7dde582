import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { SignInForm } from './SignInForm';
import { type PublicSettings, Settings } from './settings';

vi.mock('./Captcha', () => ({ CAPTCHA: 'g-recaptcha-response', Captcha: () => <div>captcha</div> }));

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('draws the captcha once the server asks for it after too many failures', async () => {
  const errors = { 'g-recaptcha-response': ['Solve the captcha.'] };
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    async () => new Response(JSON.stringify({ code: 'captcha_required', message: 'No.', errors }), { status: 422 }),
  );
  const settings = { captcha_is_enabled: false, captcha_site_key: 'k', captcha_provider: 'turnstile' };
  render(
    <Settings value={settings as PublicSettings}>
      <SignInForm />
    </Settings>,
    { wrapper: Queries },
  );
  expect(screen.queryByText('captcha')).toBeNull();
  fireEvent.change(screen.getByLabelText(/mail/i), { target: { value: 'anna@panel.test' } });
  fireEvent.change(screen.getByLabelText(/Password/), { target: { value: 'four words and some' } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByText('captcha');
});

/** A browser whose authenticator answers, or turns away. */
function withAuthenticator(get: () => Promise<unknown>) {
  const PublicKeyCredential = Object.assign(() => {}, { parseRequestOptionsFromJSON: (options: unknown) => options });
  vi.stubGlobal('PublicKeyCredential', PublicKeyCredential);
  vi.stubGlobal('navigator', { ...navigator, credentials: { get } });
}

/** A panel that wants a passkey or a recovery code beside the password; what it was sent. */
function wantingPasskey() {
  const sent: Record<string, unknown>[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const body = await (request as Request).json();
    sent.push(body);
    const passkey = { ceremony: `c${sent.length}`, options: { challenge: 'x' } };
    const refused = body.passkey ? 'passkey_wrong' : 'otp_required';
    const errors = body.passkey ? { passkey: ['Not accepted.'] } : { otp: ['Use your passkey.'] };
    const second_factor = { methods: ['passkey', 'recovery_code'], passkey };
    const answer = { code: refused, message: 'Not accepted.', errors, second_factor };
    return new Response(JSON.stringify(answer), { status: 422 });
  });
  render(
    <Settings value={{ captcha_is_enabled: false } as PublicSettings}>
      <SignInForm email="anna@panel.test" />
    </Settings>,
    { wrapper: Queries },
  );
  fireEvent.change(screen.getByLabelText(/Password/), { target: { value: 'four words and some' } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  return sent;
}

it('answers the newest challenge with a passkey, and offers a recovery code beside it', async () => {
  withAuthenticator(async () => ({ toJSON: () => ({ id: 'key' }) }));
  const sent = wantingPasskey();
  fireEvent.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  await screen.findByText('Not accepted.');
  fireEvent.click(screen.getByRole('button', { name: 'Use a passkey' }));
  await vi.waitFor(() => expect(sent).toHaveLength(3));
  expect(sent.map((body) => body.passkey)).toEqual([
    undefined,
    { ceremony: 'c1', credential: { id: 'key' } },
    { ceremony: 'c2', credential: { id: 'key' } },
  ]);
  expect(screen.getByText('A recovery code, if you do not have your passkey.')).toBeTruthy();
});

it('says so where the authenticator turns away, and keeps the challenge', async () => {
  withAuthenticator(() => Promise.reject(new DOMException('no', 'NotAllowedError')));
  const sent = wantingPasskey();
  fireEvent.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  await screen.findByText(/The passkey did not answer/);
  expect(sent).toHaveLength(1);
});

it('asks for a recovery code where the browser has no passkeys', async () => {
  wantingPasskey();
  await screen.findByText(/This browser cannot use passkeys/);
  expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull();
  expect(screen.getByLabelText('Code')).toBeTruthy();
});
