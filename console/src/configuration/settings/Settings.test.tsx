import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import SettingsPage from './Settings';
import { SETTINGS_QUERY_KEY } from './settingChanges';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const FIELDS = ['panel_name', 'logo_alt'].map((key) => ({
  key,
  kind: 'text',
  group: 'brand',
  maximum: 100,
  options: [],
  may_be_empty: true,
  is_for_site: false,
}));

const createSettings = (data: Record<string, unknown>) => ({ data, fields: FIELDS });

/**
 * Renders the page and adds the body of each save to `savedBodies`. Returns a function that changes the settings on the fake
 * server and refetches them.
 */
async function renderSettings(savedBodies: unknown[]) {
  let storedSettings = createSettings({ panel_name: 'Old', logo_alt: 'Old', updated_at: '1' });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method === 'GET') return Response.json(storedSettings);
    const body = await request.json();
    savedBodies.push(body);
    if (body.updated_at === storedSettings.data.updated_at) return Response.json(storedSettings);
    return Response.json({ code: 'changed_meanwhile', message: 'Changed.' }, { status: 409 });
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queryClient}>
      <SettingsPage />
    </QueryClientProvider>,
  );
  await vi.waitFor(() => expect(findInput('panel_name').value).toBe('Old'));
  return async (data: Record<string, unknown>) => {
    storedSettings = createSettings(data);
    await act(() => queryClient.invalidateQueries({ queryKey: SETTINGS_QUERY_KEY }));
  };
}

const findInput = (key: string) => document.querySelector(`[data-key="${key}"] input`) as HTMLInputElement;
const typeInto = (key: string, value: string) => fireEvent.change(findInput(key), { target: { value } });
const clickButton = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));

it('merges refetched settings with unsaved changes', async () => {
  const savedBodies: unknown[] = [];
  const changeOnServer = await renderSettings(savedBodies);
  typeInto('panel_name', 'Mine');
  await changeOnServer({ panel_name: 'Old', logo_alt: 'Theirs', updated_at: '2' });
  await vi.waitFor(() => expect(findInput('logo_alt').value).toBe('Theirs'));
  expect(findInput('panel_name').value).toBe('Mine');
  await clickButton('Save');
  expect(savedBodies).toEqual([{ panel_name: 'Mine', updated_at: '2' }]);
});

it('shows conflicting changes, and overwrites the latest version only after the user has loaded it', async () => {
  const savedBodies: unknown[] = [];
  const changeOnServer = await renderSettings(savedBodies);
  typeInto('panel_name', 'Mine');
  await changeOnServer({ panel_name: 'Theirs', logo_alt: 'Old', updated_at: '2' });
  expect(await screen.findByText('Another person changed this field too. Current value: Theirs')).toBeTruthy();
  await clickButton('Save');
  expect(savedBodies).toEqual([{ panel_name: 'Mine', updated_at: '1' }]);
  await clickButton('Load the latest version and keep my edits');
  expect(findInput('panel_name').value).toBe('Mine');
  await clickButton('Save');
  expect(savedBodies.at(-1)).toEqual({ panel_name: 'Mine', updated_at: '2' });
});
