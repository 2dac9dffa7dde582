import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import CustomItemsPage from './CustomItems';

const ITEM = { id: 7, name: 'Blog', url: '/blog', is_enabled: true, translations: {} };

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Deletes the item in the dialog. The fake server rejects the deletion with the response of `createResponse`. */
async function deleteWithResponse(createResponse: () => Response) {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) =>
    (request as Request).method === 'POST' ? createResponse() : new Response(JSON.stringify({ data: [ITEM] })),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CustomItemsPage />
    </QueryClientProvider>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Delete: Blog' }));
  const dialog = within(await screen.findByRole('alertdialog'));
  fireEvent.click(dialog.getByRole('button', { name: 'Delete' }));
  return dialog;
}

it('keeps the dialog open and shows the error message if the server rejects the deletion', async () => {
  const message = 'Another person has deleted this item.';
  const body = JSON.stringify({ code: 'not_found', message });
  const dialog = await deleteWithResponse(() => new Response(body, { status: 404 }));
  expect(await dialog.findByText(message)).toBeTruthy();
  expect(dialog.getByRole('button', { name: 'Delete' }).getAttribute('aria-busy')).toBeNull();
});

it('shows the status of an error response without a message', async () => {
  const dialog = await deleteWithResponse(() => new Response('<html>', { status: 502 }));
  expect(await dialog.findByText('The server responded with status 502.')).toBeTruthy();
});
