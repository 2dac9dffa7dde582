import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { RenewDialog } from './SubscriptionPage';

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('renews for the price that it showed, and shows another one before it takes it', async () => {
  let charged = '5';
  const renewed: (string | null)[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    if (!request.url.includes('dry_run')) renewed.push(request.headers.get('Idempotency-Key'));
    return Response.json({ charged });
  });
  const onClose = vi.fn();
  render(<RenewDialog id={7} onClose={onClose} />, { wrapper: Queries });
  const dialog = within(await screen.findByRole('alertdialog'));
  const press = () => act(async () => void fireEvent.click(dialog.getByRole('button', { name: 'Renew now' })));
  await dialog.findByText(/5\.00/);
  expect(renewed).toEqual([]);
  charged = '9';
  await press();
  expect(await dialog.findByText(/9\.00/)).toBeTruthy();
  expect(await dialog.findByText('The price has changed since it was shown. Check the new one.')).toBeTruthy();
  expect(renewed).toEqual([]);
  await press();
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(renewed).toEqual([expect.any(String)]);
});
