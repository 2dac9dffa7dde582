import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { PasswordForm } from './PasswordForm';

let requests: { path: string; body: unknown }[];
let createResponse: () => Response;

beforeAll(initI18n);
beforeEach(() => {
  requests = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    requests.push({ path: new URL(request.url).pathname, body: await request.clone().json() });
    return createResponse();
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

async function changePassword(current: string, password: string): Promise<void> {
  fireEvent.change(screen.getByLabelText(/Current password/), { target: { value: current } });
  fireEvent.change(screen.getByLabelText(/New password/), { target: { value: password } });
  fireEvent.click(screen.getByRole('button', { name: 'Change password' }));
  await waitFor(() => expect(requests).toHaveLength(1));
}

it('sends both passwords, and clears them after success', async () => {
  createResponse = () => new Response('{}');
  render(<PasswordForm />, { wrapper: TestQueryProvider });
  await changePassword('the old one', 'lamps rain over violet');
  expect(requests[0]).toEqual({
    path: '/api/v1/profile/password',
    body: { current_password: 'the old one', password: 'lamps rain over violet' },
  });
  await waitFor(() => expect(screen.getByLabelText(/New password/)).toHaveProperty('value', ''));
});

it('shows errors at their fields, and keeps the input', async () => {
  const errors = { current_password: ['This is not your current password.'] };
  createResponse = () =>
    new Response(JSON.stringify({ code: 'wrong_password', message: 'No.', errors }), { status: 422 });
  render(<PasswordForm />, { wrapper: TestQueryProvider });
  await changePassword('a guess', 'lamps rain over violet');
  await screen.findByText('This is not your current password.');
  expect(screen.getByLabelText(/New password/)).toHaveProperty('value', 'lamps rain over violet');
});
