import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { SignInForm } from './SignInForm';
import { type PublicSettings, Settings } from './settings';

vi.mock('./Captcha', () => ({ CAPTCHA: 'g-recaptcha-response', Captcha: () => <div>captcha</div> }));

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
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
  );
  expect(screen.queryByText('captcha')).toBeNull();
  fireEvent.change(screen.getByLabelText(/mail/i), { target: { value: 'anna@panel.test' } });
  fireEvent.change(screen.getByLabelText(/Password/), { target: { value: 'four words and some' } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByText('captcha');
});
