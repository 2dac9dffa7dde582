import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { SignInLinkPage } from './SignInLinkPage';
import { acceptSignInLink, declineSignInLink } from './signInLink';
import { type Profile, session } from './store';

vi.mock('./signInLink', () => ({ acceptSignInLink: vi.fn(), declineSignInLink: vi.fn() }));
vi.mock('./Brand', () => ({ Brand: () => null }));

const owner = { id: 1, name: 'Anna', email: 'anna@panel.test', expires_at: '2026-11-26 09:00:00' };

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  session.end();
  vi.clearAllMocks();
});

it('shows the user whom the link signs in and the user whom it signs out', () => {
  session.begin({ id: 2, name: 'Bob' } as Profile);
  render(<SignInLinkPage offer={{ code: 'code', owner }} />, { wrapper: TestQueryProvider });
  expect(screen.getByRole('heading').textContent).toBe('Continue as Anna?');
  expect(document.body.textContent).toContain('anna@panel.test');
  expect(document.body.textContent).toContain('You are signed in as Bob.');
  fireEvent.click(screen.getByRole('button', { name: 'Stay signed in as Bob' }));
  expect([vi.mocked(declineSignInLink).mock.calls.length, vi.mocked(acceptSignInLink).mock.calls.length]).toEqual([
    1, 0,
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'Continue as Anna' }));
  expect(acceptSignInLink).toHaveBeenCalledWith('code');
});

it('reports an expired link', () => {
  render(<SignInLinkPage offer={{ code: 'used', owner: null }} />, { wrapper: TestQueryProvider });
  expect(document.body.textContent).toContain('was used or has expired');
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(declineSignInLink).toHaveBeenCalled();
});
