import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { SecondFactorSetup } from './SecondFactorSetup';

afterEach(() => vi.unstubAllGlobals());

const jsonResponse = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

it('shows the secret, reports a wrong code, and shows the recovery codes after a correct code', async () => {
  const confirmations: unknown[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    if (!request.url.endsWith('/confirm')) {
      return jsonResponse({ data: { secret: 'JBSWY3DP', otpauth_url: 'otpauth://totp/x', qr_svg: '<svg/>' } });
    }
    const body = (await request.json()) as { otp: string };
    confirmations.push(body);
    return body.otp === '123456'
      ? jsonResponse({ data: { recovery_codes: ['aaaa-bbbb-cccc-dddd'] } })
      : jsonResponse({ code: 'otp_wrong', message: 'No.', errors: { otp: ['These digits do not fit.'] } }, 422);
  });
  const onDone = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SecondFactorSetup onDone={onDone} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText('JBSWY3DP')).toBeTruthy();
  expect(screen.getByRole('img').getAttribute('src')).toBe('data:image/svg+xml,%3Csvg%2F%3E');
  const field = screen.getByRole('textbox');
  const submit = () => fireEvent.submit(field.closest('form') as HTMLFormElement);
  fireEvent.change(field, { target: { value: '000000' } });
  submit();
  expect(await screen.findByText('These digits do not fit.')).toBeTruthy();
  fireEvent.change(field, { target: { value: ' 123456' } });
  submit();
  expect(await screen.findByText('aaaa-bbbb-cccc-dddd')).toBeTruthy();
  expect(confirmations).toEqual([{ otp: '000000' }, { otp: '123456' }]);
});
