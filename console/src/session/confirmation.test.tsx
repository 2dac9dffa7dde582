import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { get, send } from '@/api/client';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { ConfirmIdentityDialog } from './ConfirmIdentityDialog';
import { confirmation, useIsConfirmationPending } from './confirmation';
import { type Profile, session } from './store';

let isConfirmed: boolean;
let calls: string[];

const answer = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

function PendingConfirmation() {
  return useIsConfirmationPending() ? <ConfirmIdentityDialog /> : null;
}

beforeAll(initI18n);
beforeEach(() => {
  isConfirmed = false;
  calls = [];
  session.begin({ id: 1, name: 'Anna', email: 'anna@panel.test' } as Profile);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const path = new URL(request.url).pathname;
    const body = request.method === 'POST' ? await request.text() : '';
    calls.push(`${path} ${body}`);
    if (path === '/api/v1/profile/confirm') {
      isConfirmed = JSON.parse(body).password === 'right';
      const wrong = { code: 'confirmation_wrong', message: 'That is wrong.', errors: { password: ['That is wrong.'] } };
      return isConfirmed ? answer(200, { data: { confirmed_until: '' } }) : answer(422, wrong);
    }
    if (path.endsWith('/forbidden')) return answer(403, { code: 'forbidden', message: 'No.' });
    return isConfirmed ? answer(200, {}) : answer(403, { code: 'confirmation_required', message: 'Confirm.' });
  });
});
afterEach(() => {
  cleanup();
  confirmation.resolve(false);
  session.end();
  vi.restoreAllMocks();
});

const type = async (password: string) => {
  fireEvent.change(await screen.findByLabelText('Password'), { target: { value: password } });
  fireEvent.click(screen.getByRole('button', { name: 'Confirm' }));
};

it('asks for the password, and repeats the call', async () => {
  render(<PendingConfirmation />, { wrapper: TestQueryProvider });
  const request = new Request(new URL('/api/v1/admin/users/5/api-key', location.origin), { method: 'POST', body: 'x' });
  const sent = send(request);
  await type('wrong');
  await screen.findByText('That is wrong.');
  await type('right');
  expect((await sent).status).toBe(200);
  expect(calls.filter((call) => call === '/api/v1/admin/users/5/api-key x')).toHaveLength(2);
  await waitFor(() => expect(screen.queryByLabelText('Password')).toBeNull());
});

it('returns the error after a cancel, and does not ask after other errors', async () => {
  render(<PendingConfirmation />, { wrapper: TestQueryProvider });
  const sent = get('/api/v1/admin/users').catch((problem) => problem.code);
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(await sent).toBe('confirmation_required');
  await expect(get('/forbidden')).rejects.toMatchObject({ code: 'forbidden' });
  expect(confirmation.isPending()).toBe(false);
});

it('asks once for several calls', async () => {
  render(<PendingConfirmation />, { wrapper: TestQueryProvider });
  const sent = Promise.all([get('/api/v1/admin/users'), get('/api/v1/admin/staffs')]);
  await type('right');
  expect((await sent).map((one) => one.status)).toEqual([200, 200]);
  expect(calls.filter((call) => call.startsWith('/api/v1/profile/confirm'))).toHaveLength(1);
});
