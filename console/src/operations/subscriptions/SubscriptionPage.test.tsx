import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { RenewDialog } from './SubscriptionPage';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('renews only for the price that the dialog shows, and shows a changed price before it renews', async () => {
  let charged = '5';
  const idempotencyKeys: (string | null)[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    if (!request.url.includes('dry_run')) idempotencyKeys.push(request.headers.get('Idempotency-Key'));
    return Response.json({ charged });
  });
  const onClose = vi.fn();
  render(<RenewDialog id={7} onClose={onClose} />, { wrapper: TestQueryProvider });
  const dialog = within(await screen.findByRole('alertdialog'));
  const clickRenew = () => act(async () => void fireEvent.click(dialog.getByRole('button', { name: 'Renew now' })));
  await dialog.findByText(/5\.00/);
  expect(idempotencyKeys).toEqual([]);
  charged = '9';
  await clickRenew();
  expect(await dialog.findByText(/9\.00/)).toBeTruthy();
  expect(await dialog.findByText('The price has changed. Check the new price.')).toBeTruthy();
  expect(idempotencyKeys).toEqual([]);
  await clickRenew();
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(idempotencyKeys).toEqual([expect.any(String)]);
});
