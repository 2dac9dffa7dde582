import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { formatLocal } from '@/i18n/format';
import { type Profile, session } from '@/session/store';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { DetailsForm } from './DetailsForm';

const ANNA = {
  id: 1,
  name: 'Anna',
  email: 'anna@panel.test',
  locale: null,
  time_zone: 'Europe/Berlin',
  updated_at: '2026-11-26 09:00:00.000000',
  roles: [],
  allPermissions: [],
  must_enrol_second_factor: false,
} as unknown as Profile;

let requests: { method: string; body: unknown }[];
let createResponse: () => Response;

beforeAll(initI18n);
beforeEach(() => {
  requests = [];
  session.begin(ANNA);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    requests.push({ method: request.method, body: await request.clone().json() });
    return createResponse();
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
});

function saveName(name: string): void {
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: name } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
}

it("sends changed fields with updated_at, and updates the session's profile", async () => {
  createResponse = () => new Response(JSON.stringify({ data: { ...ANNA, name: 'Anna Berg' } }));
  render(<DetailsForm />, { wrapper: TestQueryProvider });
  saveName('Anna Berg');
  await waitFor(() => expect(session.getState().profile?.name).toBe('Anna Berg'));
  expect(requests).toEqual([{ method: 'PATCH', body: { name: 'Anna Berg', updated_at: ANNA.updated_at } }]);
});

it('keeps the input if the server rejects it', async () => {
  const errors = { name: ['Give a name of 1 to 100 visible characters.'] };
  createResponse = () => new Response(JSON.stringify({ code: 'invalid', message: 'No.', errors }), { status: 422 });
  render(<DetailsForm />, { wrapper: TestQueryProvider });
  saveName(' ');
  await screen.findByText(errors.name[0] ?? '');
  expect(screen.getByLabelText(/Name/)).toHaveProperty('value', ' ');
});

it('shows local times in the time zone of the profile', () => {
  expect(formatLocal('2026-11-26 12:00:00', 'de', 'Asia/Tokyo')).toContain('21:00');
  expect(formatLocal('2026-11-26 12:00:00', 'de', 'Mars/Olympus')).toBe(formatLocal('2026-11-26 12:00:00', 'de'));
});
