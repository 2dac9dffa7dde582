import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { api } from '@/api/client';
import { initI18n } from '@/i18n';
import { CostSummary } from './Contents';

beforeAll(initI18n);
afterEach(cleanup);

const CONTENT = { id: 1, quantity: '1000', price: '' };

function renderCost(totals: { total_cost: string; lowest_cost: string; is_below_minimum_margin: boolean }) {
  const data = { default_cost: '15', difference: '0', package_contents: [], ...totals };
  vi.spyOn(api, 'POST').mockResolvedValue({ data: { data }, response: new Response() } as never);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CostSummary values={{ package_contents: JSON.stringify([CONTENT]) }} />
    </QueryClientProvider>,
  );
}

it('warns if the cost is below the minimum cost', async () => {
  renderCost({ total_cost: '7.5', lowest_cost: '14.85', is_below_minimum_margin: true });
  expect((await screen.findByRole('status')).textContent).toContain('$14.85');
});

it('shows the minimum cost without a warning if the cost is above the minimum cost', async () => {
  renderCost({ total_cost: '15', lowest_cost: '14.85', is_below_minimum_margin: false });
  expect(await screen.findByText('Minimum cost')).toBeTruthy();
  expect(screen.queryByRole('status')).toBeNull();
});
