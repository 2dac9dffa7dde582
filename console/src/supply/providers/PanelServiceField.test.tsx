import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { initI18n } from '@/i18n';
import { type Profile, session } from '@/session/store';
import { PanelServiceField } from './PanelServiceField';

const fetchPage = vi.hoisted(() => vi.fn());
vi.mock('@/api/table', () => ({ fetchPage }));

type Row = Schemas['PanelService'];

const row = (id: number, there: string, name: string) =>
  ({
    id,
    name,
    external_panel_service_id: there,
    external_panel_price: '0.9',
    currency: 'USD',
    pricing_per: 1000,
    min_quantity: 10,
    max_quantity: 5000,
  }) as Row;

const answer = (data: Row[], recordsTotal = 2) => ({ data, recordsTotal, recordsFiltered: data.length });

beforeAll(initI18n);
beforeEach(() => {
  fetchPage.mockReset().mockResolvedValue(answer([]));
});
afterEach(() => {
  cleanup();
  session.end();
});

function draw(permissions: string[], value = '') {
  session.begin({ id: 1, allPermissions: permissions.map((name) => ({ name })) } as unknown as Profile);
  const onChange = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PanelServiceField id="there" label="Service" panel="3" value={value} onChange={onChange} invalid={false} />
    </QueryClientProvider>,
  );
  return onChange;
}

it('says that who may not manage external panels types the id, and asks nothing', () => {
  const onChange = draw(['manage services and providers'], '41');
  const input = screen.getByRole('textbox');
  expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).not.toBe('');
  fireEvent.change(input, { target: { value: '42' } });
  expect(onChange).toHaveBeenCalledWith('42');
  expect(fetchPage).not.toHaveBeenCalled();
});

it('takes a typed id where the panel was not asked yet', async () => {
  fetchPage.mockResolvedValue(answer([], 0));
  draw(['manage external panels']);
  expect(await screen.findByRole('textbox')).toBeTruthy();
});

it('finds the exact id first, and gives its id there', async () => {
  fetchPage.mockImplementation(async (_path, asked: { search: string; filters: Record<string, string> }) => {
    if (asked.filters.external_panel_service_id === '7') return answer([row(9, '7', 'Views')]);
    return asked.search === '7' ? answer([row(5, '71', 'Likes 7'), row(9, '7', 'Views')]) : answer([]);
  });
  const onChange = draw(['manage external panels']);
  const input = await screen.findByRole('combobox');
  fireEvent.change(input, { target: { value: '7' } });
  await waitFor(() => expect(screen.getAllByRole('option', { hidden: true })).toHaveLength(2));
  const [first] = screen.getAllByRole('option', { hidden: true });
  expect(first?.textContent).toContain('Views');
  if (first) fireEvent.click(first);
  await waitFor(() => expect(onChange).toHaveBeenCalledWith('7'));
});
