import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { SignInForm } from './SignInForm';
import { type PublicSettings, SettingsContext } from './settings';

vi.mock('./Captcha', () => ({ CAPTCHA_FIELD: 'g-recaptcha-response', Captcha: () => <div>captcha</div> }));

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('shows the captcha if the server requires it after too many failed sign-ins', async () => {
  const errors = { 'g-recaptcha-response': ['Solve the captcha.'] };
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    async () => new Response(JSON.stringify({ code: 'captcha_required', message: 'No.', errors }), { status: 422 }),
  );
  const settings = { captcha_is_enabled: false, captcha_site_key: 'k', captcha_provider: 'turnstile' };
  render(
    <SettingsContext value={settings as PublicSettings}>
      <SignInForm />
    </SettingsContext>,
    { wrapper: TestQueryProvider },
  );
  expect(screen.queryByText('captcha')).toBeNull();
  fireEvent.change(screen.getByLabelText(/mail/i), { target: { value: 'anna@panel.test' } });
  fireEvent.change(screen.getByLabelText(/Password/), { target: { value: 'four words and some' } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByText('captcha');
});

/** Mocks the browser's authenticator: `getCredential` returns a credential or rejects. */
function mockAuthenticator(getCredential: () => Promise<unknown>) {
  const PublicKeyCredential = Object.assign(() => {}, { parseRequestOptionsFromJSON: (options: unknown) => options });
  vi.stubGlobal('PublicKeyCredential', PublicKeyCredential);
  vi.stubGlobal('navigator', { ...navigator, credentials: { get: getCredential } });
}

/** Submits the form to a mocked server that requires a passkey or a recovery code. Returns the bodies of all requests. */
function submitToServerWithSecondFactor() {
  const requestBodies: Record<string, unknown>[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const body = await (request as Request).json();
    requestBodies.push(body);
    const passkey = { ceremony: `c${requestBodies.length}`, options: { challenge: 'x' } };
    const code = body.passkey ? 'passkey_wrong' : 'otp_required';
    const errors = body.passkey ? { passkey: ['Not accepted.'] } : { otp: ['Use your passkey.'] };
    const second_factor = { methods: ['passkey', 'recovery_code'], passkey };
    const responseBody = { code, message: 'Not accepted.', errors, second_factor };
    return new Response(JSON.stringify(responseBody), { status: 422 });
  });
  render(
    <SettingsContext value={{ captcha_is_enabled: false } as PublicSettings}>
      <SignInForm email="anna@panel.test" />
    </SettingsContext>,
    { wrapper: TestQueryProvider },
  );
  fireEvent.change(screen.getByLabelText(/Password/), { target: { value: 'four words and some' } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  return requestBodies;
}

it('signs the latest challenge with a passkey, and offers a recovery code', async () => {
  mockAuthenticator(async () => ({ toJSON: () => ({ id: 'key' }) }));
  const requestBodies = submitToServerWithSecondFactor();
  fireEvent.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  await screen.findByText('Not accepted.');
  fireEvent.click(screen.getByRole('button', { name: 'Use a passkey' }));
  await vi.waitFor(() => expect(requestBodies).toHaveLength(3));
  expect(requestBodies.map((body) => body.passkey)).toEqual([
    undefined,
    { ceremony: 'c1', credential: { id: 'key' } },
    { ceremony: 'c2', credential: { id: 'key' } },
  ]);
  expect(screen.getByText('A recovery code, if you do not have your passkey.')).toBeTruthy();
});

it('reports a rejection by the authenticator, and keeps the challenge', async () => {
  mockAuthenticator(() => Promise.reject(new DOMException('no', 'NotAllowedError')));
  const requestBodies = submitToServerWithSecondFactor();
  fireEvent.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  await screen.findByText(/We could not verify the passkey/);
  expect(requestBodies).toHaveLength(1);
});

it('asks for a recovery code if the browser does not support passkeys', async () => {
  submitToServerWithSecondFactor();
  await screen.findByText(/This browser does not support passkeys/);
  expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull();
  expect(screen.getByLabelText('Code')).toBeTruthy();
});
