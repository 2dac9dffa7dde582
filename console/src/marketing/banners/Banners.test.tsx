import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import Banners from './Banners';

const size = { width: 1, height: 1 };
const PLACES = ['dashboard_header', 'orders_header', 'sidebar'].map((place) => ({
  place,
  image: size,
  background_image: size,
}));
const banner = (id: number, place: string, type: string) => ({
  id,
  place,
  type,
  is_enabled: type !== 'none',
  scroll_delay: 5,
  informations: [],
});
/** The sidebar has no banner. */
const ANSWER = {
  places: PLACES,
  data: [banner(1, 'dashboard_header', 'slider'), banner(2, 'orders_header', 'none')],
};

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const shown = () => [...document.querySelectorAll<HTMLElement>('tr[data-place]')].map((row) => row.dataset.place);

async function choose(word: string) {
  fireEvent.click(screen.getByRole('combobox').closest('.p-dropdown') as Element);
  // jsdom plays no animation, so the panel never becomes visible.
  fireEvent.click(await screen.findByRole('option', { name: word, hidden: true }));
}

it('shows active banners, disabled ones with places that have none, or all', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(JSON.stringify(ANSWER)));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Banners />
    </QueryClientProvider>,
  );
  await vi.waitFor(() => expect(shown()).toEqual(['dashboard_header', 'orders_header', 'sidebar']));
  await choose('Active');
  expect(shown()).toEqual(['dashboard_header']);
  await choose('Disabled');
  expect(shown()).toEqual(['orders_header', 'sidebar']);
  await choose('All placements');
  expect(shown()).toHaveLength(3);
});
