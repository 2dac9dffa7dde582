import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { initI18n } from '@/i18n';
import { type Profile, session } from '@/session/store';
import { Providers } from './Providers';
import type { Service } from './requests';

const fetchPage = vi.hoisted(() => vi.fn());
vi.mock('@/api/table', () => ({ fetchPage }));
vi.mock('@/api/client', async (actual) => ({
  ...(await actual<typeof import('@/api/client')>()),
  api: { GET: vi.fn(async () => ({ data: { data: { currency: 'USD', exchangeRates: {} } } })) },
  unwrap: async (response: Promise<{ data: unknown }>) => (await response).data,
}));

type Provider = Schemas['ProviderRow'];

const createProvider = (id: number, name: string) =>
  ({ id, name, source_price: { amount: '1', currency: 'USD' }, source_pricing_per: 1000 }) as Provider;

beforeAll(initI18n);
beforeEach(() => {
  fetchPage.mockReset().mockResolvedValue({ data: [] });
});
afterEach(() => {
  cleanup();
  session.end();
});

function renderProviders(permissions: string[]) {
  session.begin({ id: 1, allPermissions: permissions.map((name) => ({ name })) } as unknown as Profile);
  const onChange = vi.fn();
  const values = { providers: '4', default_price: '2', pricing_per: '1000', order_quantity_ratio: '' };
  const service = { providers: [{ id: 4, name: 'North' }] } as unknown as Service;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Providers values={values} errors={{}} conflicts={{}} onChange={onChange} service={service} />
    </QueryClientProvider>,
  );
  return onChange;
}

it('shows and removes providers, but offers no search without the permission', () => {
  const onChange = renderProviders(['view services']);
  expect(screen.queryByRole('combobox')).toBeNull();
  expect(fetchPage).not.toHaveBeenCalled();
  expect(document.querySelector('.hint')?.textContent).not.toBe('');
  fireEvent.click(screen.getByRole('button', { name: /^Remove.*North/ }));
  expect(onChange).toHaveBeenCalledWith('providers', '');
});

it('finds a provider by its own id and by the service id of the external panel', async () => {
  fetchPage.mockImplementation(async (_path, query: { search: string; filters: Record<string, string> }) => {
    if (query.filters.id === '7') return { data: [createProvider(7, 'Ours')] };
    return { data: query.search === '7' ? [createProvider(9, 'Theirs'), createProvider(7, 'Ours')] : [] };
  });
  const onChange = renderProviders(['manage services and providers']);
  fireEvent.change(await screen.findByRole('combobox'), { target: { value: '7' } });
  await waitFor(() => expect(screen.getAllByRole('option', { hidden: true })).toHaveLength(2));
  expect(screen.getAllByRole('option', { hidden: true }).map((option) => option.textContent?.split(' ·')[0])).toEqual([
    'Ours',
    'Theirs',
  ]);
  const externalMatch = screen.getAllByRole('option', { hidden: true })[1];
  if (externalMatch) fireEvent.click(externalMatch);
  await waitFor(() => expect(onChange).toHaveBeenCalledWith('providers', '4,9'));
});
