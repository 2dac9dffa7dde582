import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { KEY } from './calls';
import SettingsPage from './Settings';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const FIELDS = ['panel_name', 'logo_alt'].map((key) => ({
  key,
  kind: 'text',
  group: 'brand',
  most: 100,
  options: [],
  may_be_empty: true,
  is_for_site: false,
}));

const settings = (data: Record<string, unknown>) => ({ data, fields: FIELDS });

async function open(sent: unknown[]) {
  let stored = settings({ panel_name: 'Old', logo_alt: 'Old', updated_at: '1' });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method === 'GET') return Response.json(stored);
    const body = await request.json();
    sent.push(body);
    if (body.updated_at === stored.data.updated_at) return Response.json(stored);
    return Response.json({ code: 'changed_meanwhile', message: 'Changed.' }, { status: 409 });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queries}>
      <SettingsPage />
    </QueryClientProvider>,
  );
  await vi.waitFor(() => expect(field('panel_name').value).toBe('Old'));
  return async (data: Record<string, unknown>) => {
    stored = settings(data);
    await act(() => queries.invalidateQueries({ queryKey: KEY }));
  };
}

const field = (key: string) => document.querySelector(`[data-key="${key}"] input`) as HTMLInputElement;
const type = (key: string, value: string) => fireEvent.change(field(key), { target: { value } });
const press = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));

it('take what is read again under what was typed', async () => {
  const sent: unknown[] = [];
  const reread = await open(sent);
  type('panel_name', 'Mine');
  await reread({ panel_name: 'Old', logo_alt: 'Theirs', updated_at: '2' });
  await vi.waitFor(() => expect(field('logo_alt').value).toBe('Theirs'));
  expect(field('panel_name').value).toBe('Mine');
  await press('Save');
  expect(sent).toEqual([{ panel_name: 'Mine', updated_at: '2' }]);
});

it('show where both changed the same, and save over it only once the newer is loaded', async () => {
  const sent: unknown[] = [];
  const reread = await open(sent);
  type('panel_name', 'Mine');
  await reread({ panel_name: 'Theirs', logo_alt: 'Old', updated_at: '2' });
  expect(await screen.findByText('Another person changed this field too. Current value: Theirs')).toBeTruthy();
  await press('Save');
  expect(sent).toEqual([{ panel_name: 'Mine', updated_at: '1' }]);
  await press('Load the latest version and keep my edits');
  expect(field('panel_name').value).toBe('Mine');
  await press('Save');
  expect(sent.at(-1)).toEqual({ panel_name: 'Mine', updated_at: '2' });
});
