import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { MENU } from './calls';
import MenuPage from './Menu';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const item = (id: number, url: string, stamp: string) => ({
  id,
  url,
  icon: null,
  parent: null,
  is_enabled: true,
  is_allowed_for_authorized: true,
  is_allowed_for_guest: true,
  is_blank: false,
  translations: { en: { name: `Item ${id}` } },
  updated_at: stamp,
});

const address = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'URL' });
const press = (name: string | RegExp) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));

let stored: ReturnType<typeof item>[];
let sent: { call: string; key: string | null; body: Record<string, unknown> }[];

async function open() {
  stored = [item(1, '/one', '1'), item(2, '/two', '1')];
  sent = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname } = new URL(request.url);
    if (request.method === 'GET') return Response.json({ data: stored, recordsTotal: 2, recordsFiltered: 2 });
    const body = await request.json();
    sent.push({ call: `${request.method} ${pathname}`, key: request.headers.get('Idempotency-Key'), body });
    const old = stored.find(({ id }) => pathname.endsWith(`/${id}`));
    if (old && old.updated_at === body.updated_at) return Response.json({ data: { ...old, ...body } });
    return Response.json({ code: 'changed_meanwhile', message: 'Changed.' }, { status: 409 });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queries}>
      <MenuPage />
    </QueryClientProvider>,
  );
  await screen.findAllByText('Item 1');
  return async (...items: ReturnType<typeof item>[]) => {
    stored = items;
    await act(() => queries.invalidateQueries({ queryKey: [MENU] }));
  };
}

const choose = (name: string) => fireEvent.click(screen.getAllByText(name)[0] as HTMLElement);

it('takes what is read again under what was typed', async () => {
  const reread = await open();
  choose('Item 1');
  fireEvent.change(address(), { target: { value: '/mine' } });
  await reread(item(1, '/one', '1'), item(2, '/theirs', '2'), item(3, '/three', '1'));
  await screen.findAllByText('Item 3');
  expect(address().value).toBe('/mine');
  choose('Item 2');
  expect(address().value).toBe('/theirs');
});

it('shows where both changed the same, and saves over it only once the newer is loaded', async () => {
  const reread = await open();
  choose('Item 1');
  fireEvent.change(address(), { target: { value: '/mine' } });
  await reread(item(1, '/theirs', '2'), item(2, '/two', '1'));
  expect(await screen.findByText('Another person changed this field too. Current value: /theirs')).toBeTruthy();
  await press('Save');
  expect(sent.map(({ body }) => body)).toEqual([{ url: '/mine', updated_at: '1' }]);
  await press('Load the latest version and keep my edits');
  expect(address().value).toBe('/mine');
  await press('Save');
  expect(sent.at(-1)?.body).toEqual({ url: '/mine', updated_at: '2' });
});

it('makes a draft under the same key, however often it is tried', async () => {
  await open();
  await press('New item');
  await press('Save');
  await press('Save');
  const made = sent.filter(({ call }) => call === 'POST /api/v1/admin/panel-menu-items');
  expect([made.length, new Set(made.map(({ key }) => key)).size, made[0]?.key]).toEqual([2, 1, expect.any(String)]);
});
