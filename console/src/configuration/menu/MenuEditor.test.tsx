import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import MenuPage from './MenuEditor';
import { MENU_ITEMS_KEY } from './requests';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const createMenuItem = (id: number, url: string, updatedAt: string) => ({
  id,
  url,
  icon: null,
  parent: null,
  is_enabled: true,
  is_allowed_for_authorized: true,
  is_allowed_for_guest: true,
  is_blank: false,
  translations: { en: { name: `Item ${id}` } },
  updated_at: updatedAt,
});

const findUrlInput = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'URL' });
const clickButton = (name: string | RegExp) =>
  act(async () => void fireEvent.click(screen.getByRole('button', { name })));

let storedItems: ReturnType<typeof createMenuItem>[];
let writeRequests: { target: string; key: string | null; body: Record<string, unknown> }[];

/** Renders the page with two items. Returns a function that changes the items on the fake server and refetches them. */
async function renderMenu() {
  storedItems = [createMenuItem(1, '/one', '1'), createMenuItem(2, '/two', '1')];
  writeRequests = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname } = new URL(request.url);
    if (request.method === 'GET') return Response.json({ data: storedItems, recordsTotal: 2, recordsFiltered: 2 });
    const body = await request.json();
    writeRequests.push({ target: `${request.method} ${pathname}`, key: request.headers.get('Idempotency-Key'), body });
    const storedItem = storedItems.find(({ id }) => pathname.endsWith(`/${id}`));
    if (storedItem && storedItem.updated_at === body.updated_at)
      return Response.json({ data: { ...storedItem, ...body } });
    return Response.json({ code: 'changed_meanwhile', message: 'Changed.' }, { status: 409 });
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queryClient}>
      <MenuPage />
    </QueryClientProvider>,
  );
  await screen.findAllByText('Item 1');
  return async (...items: ReturnType<typeof createMenuItem>[]) => {
    storedItems = items;
    await act(() => queryClient.invalidateQueries({ queryKey: [MENU_ITEMS_KEY] }));
  };
}

const selectItem = (name: string) => fireEvent.click(screen.getAllByText(name)[0] as HTMLElement);

it('merges a refetched menu with unsaved edits', async () => {
  const changeOnServer = await renderMenu();
  selectItem('Item 1');
  fireEvent.change(findUrlInput(), { target: { value: '/mine' } });
  await changeOnServer(
    createMenuItem(1, '/one', '1'),
    createMenuItem(2, '/theirs', '2'),
    createMenuItem(3, '/three', '1'),
  );
  await screen.findAllByText('Item 3');
  expect(findUrlInput().value).toBe('/mine');
  selectItem('Item 2');
  expect(findUrlInput().value).toBe('/theirs');
});

it('shows conflicting edits, and overwrites the latest version only after the user has loaded it', async () => {
  const changeOnServer = await renderMenu();
  selectItem('Item 1');
  fireEvent.change(findUrlInput(), { target: { value: '/mine' } });
  await changeOnServer(createMenuItem(1, '/theirs', '2'), createMenuItem(2, '/two', '1'));
  expect(await screen.findByText('Another person changed this field too. Current value: /theirs')).toBeTruthy();
  await clickButton('Save');
  expect(writeRequests.map(({ body }) => body)).toEqual([{ url: '/mine', updated_at: '1' }]);
  await clickButton('Load the latest version and keep my edits');
  expect(findUrlInput().value).toBe('/mine');
  await clickButton('Save');
  expect(writeRequests.at(-1)?.body).toEqual({ url: '/mine', updated_at: '2' });
});

it('sends a draft with the same idempotency key in every attempt', async () => {
  await renderMenu();
  await clickButton('New item');
  await clickButton('Save');
  await clickButton('Save');
  const createRequests = writeRequests.filter(({ target }) => target === 'POST /api/v1/admin/panel-menu-items');
  expect(createRequests).toHaveLength(2);
  expect(createRequests[0]?.key).toEqual(expect.any(String));
  expect(createRequests[1]?.key).toBe(createRequests[0]?.key);
});
