import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import ProviderPage from './ProviderPage';
import type { Provider } from './requests';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const provider = {
  id: 4,
  panel_id: 1,
  name: 'Likes of the north',
  type: 'manual',
  external_panel: null,
  source_price: { amount: '1', currency: 'USD' },
  source_pricing_per: 1000,
  services_count: 0,
  services: [],
  status: 'active',
  is_archived: false,
  is_available: true,
  last_available_at: null,
  open_orders_count: 0,
  source_event: null,
  target_event: null,
  last_stats_gather_period: '2026-11-20',
  created_at: '2026-01-01 00:00:00',
  updated_at: '2026-02-03 00:00:00.000000',
  actions: { editable: true, archivable: true, restore: false },
} satisfies Provider;

/** Returns the value next to a label in the description list. */
const findValueNextTo = async (label: string) => (await screen.findByText(label)).nextElementSibling?.textContent;

it('shows the date until which statistics exist, and the time of the last update', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ data: provider }));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PrimeReactProvider>
        <ProviderPage params={{ id: '4' }} />
      </PrimeReactProvider>
    </QueryClientProvider>,
  );
  expect(await findValueNextTo('Delivery statistics recorded until')).toBe('2026-11-20');
  expect(await findValueNextTo('Updated')).toContain('2026');
});
