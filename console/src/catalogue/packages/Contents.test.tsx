import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { api } from '@/api/client';
import { startTexts } from '@/i18n';
import { Cost } from './Contents';

beforeAll(startTexts);
afterEach(cleanup);

const PART = { id: 1, quantity: '1000', price: '' };

function shown(totals: { total_cost: string; lowest_cost: string; is_below_least_margin: boolean }) {
  const data = { default_cost: '15', difference: '0', package_contents: [], ...totals };
  vi.spyOn(api, 'POST').mockResolvedValue({ data: { data }, response: new Response() } as never);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Cost values={{ package_contents: JSON.stringify([PART]) }} />
    </QueryClientProvider>,
  );
}

it('warns of a cost below the lowest possible one before anything is saved', async () => {
  shown({ total_cost: '7.5', lowest_cost: '14.85', is_below_least_margin: true });
  expect((await screen.findByRole('status')).textContent).toContain('$14.85');
});

it('says the lowest possible cost without a warning where it is kept', async () => {
  shown({ total_cost: '15', lowest_cost: '14.85', is_below_least_margin: false });
  expect(await screen.findByText('Lowest possible cost')).toBeTruthy();
  expect(screen.queryByRole('status')).toBeNull();
});
