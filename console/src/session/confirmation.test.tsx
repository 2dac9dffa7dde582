import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { get, send } from '@/api/client';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { ConfirmIdentityDialog } from './ConfirmIdentityDialog';
import { confirmation, useIsConfirmationPending } from './confirmation';
import { type Profile, session } from './store';

let isConfirmed: boolean;
/** Path and body of each request, separated by a space. */
let requests: string[];

const jsonResponse = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

function PendingConfirmation() {
  return useIsConfirmationPending() ? <ConfirmIdentityDialog /> : null;
}

beforeAll(initI18n);
beforeEach(() => {
  isConfirmed = false;
  requests = [];
  session.begin({ id: 1, name: 'Anna', email: 'anna@panel.test' } as Profile);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const path = new URL(request.url).pathname;
    const body = request.method === 'POST' ? await request.text() : '';
    requests.push(`${path} ${body}`);
    if (path === '/api/v1/profile/confirm') {
      isConfirmed = JSON.parse(body).password === 'right';
      const errorBody = {
        code: 'confirmation_wrong',
        message: 'That is wrong.',
        errors: { password: ['That is wrong.'] },
      };
      return isConfirmed ? jsonResponse(200, { data: { confirmed_until: '' } }) : jsonResponse(422, errorBody);
    }
    if (path.endsWith('/forbidden')) return jsonResponse(403, { code: 'forbidden', message: 'No.' });
    return isConfirmed
      ? jsonResponse(200, {})
      : jsonResponse(403, { code: 'confirmation_required', message: 'Confirm.' });
  });
});
afterEach(() => {
  cleanup();
  confirmation.resolve(false);
  session.end();
  vi.restoreAllMocks();
});

const submitPassword = async (password: string) => {
  fireEvent.change(await screen.findByLabelText('Password'), { target: { value: password } });
  fireEvent.click(screen.getByRole('button', { name: 'Confirm' }));
};

it('asks for the password, and sends the request again', async () => {
  render(<PendingConfirmation />, { wrapper: TestQueryProvider });
  const request = new Request(new URL('/api/v1/admin/users/5/api-key', location.origin), { method: 'POST', body: 'x' });
  const response = send(request);
  await submitPassword('wrong');
  await screen.findByText('That is wrong.');
  await submitPassword('right');
  expect((await response).status).toBe(200);
  expect(requests.filter((request) => request === '/api/v1/admin/users/5/api-key x')).toHaveLength(2);
  await waitFor(() => expect(screen.queryByLabelText('Password')).toBeNull());
});

it('returns the error if the user cancels, and does not ask after other errors', async () => {
  render(<PendingConfirmation />, { wrapper: TestQueryProvider });
  const response = get('/api/v1/admin/users').catch((problem) => problem.code);
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(await response).toBe('confirmation_required');
  await expect(get('/forbidden')).rejects.toMatchObject({ code: 'forbidden' });
  expect(confirmation.isPending()).toBe(false);
});

it('asks only once for several requests', async () => {
  render(<PendingConfirmation />, { wrapper: TestQueryProvider });
  const responses = Promise.all([get('/api/v1/admin/users'), get('/api/v1/admin/staffs')]);
  await submitPassword('right');
  expect((await responses).map(({ status }) => status)).toEqual([200, 200]);
  expect(requests.filter((request) => request.startsWith('/api/v1/profile/confirm'))).toHaveLength(1);
});
