import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import Banners from './Banners';

const SIZE = { width: 1, height: 1 };
const PLACEMENTS = ['dashboard_header', 'orders_header', 'sidebar'].map((place) => ({
  place,
  image: SIZE,
  background_image: SIZE,
}));
const createBanner = (id: number, place: string, type: string) => ({
  id,
  place,
  type,
  is_enabled: type !== 'none',
  scroll_delay: 5,
  informations: [],
});
/** The placement `sidebar` has no banner. */
const RESPONSE = {
  places: PLACEMENTS,
  data: [createBanner(1, 'dashboard_header', 'slider'), createBanner(2, 'orders_header', 'none')],
};

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const findVisiblePlacements = () =>
  [...document.querySelectorAll<HTMLElement>('tr[data-place]')].map((row) => row.dataset.place);

async function selectFilter(label: string) {
  fireEvent.click(screen.getByRole('combobox').closest('.p-dropdown') as Element);
  // `hidden`, because jsdom runs no animations, so the list of options stays hidden for accessibility queries.
  fireEvent.click(await screen.findByRole('option', { name: label, hidden: true }));
}

it('filters by active banners, or by disabled banners together with placements without a banner', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(JSON.stringify(RESPONSE)));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Banners />
    </QueryClientProvider>,
  );
  await vi.waitFor(() => expect(findVisiblePlacements()).toEqual(['dashboard_header', 'orders_header', 'sidebar']));
  await selectFilter('Active');
  expect(findVisiblePlacements()).toEqual(['dashboard_header']);
  await selectFilter('Disabled');
  expect(findVisiblePlacements()).toEqual(['orders_header', 'sidebar']);
  await selectFilter('All placements');
  expect(findVisiblePlacements()).toHaveLength(3);
});
