import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { initI18n } from '@/i18n';
import { type Profile, session } from '@/session/store';
import { PanelServiceField } from './PanelServiceField';

const fetchPage = vi.hoisted(() => vi.fn());
vi.mock('@/api/table', () => ({ fetchPage }));

type PanelService = Schemas['PanelService'];

const createService = (id: number, externalId: string, name: string) =>
  ({
    id,
    name,
    external_panel_service_id: externalId,
    external_panel_price: '0.9',
    currency: 'USD',
    pricing_per: 1000,
    min_quantity: 10,
    max_quantity: 5000,
  }) as PanelService;

const createPage = (data: PanelService[], recordsTotal = 2) => ({ data, recordsTotal, recordsFiltered: data.length });

beforeAll(initI18n);
beforeEach(() => {
  fetchPage.mockReset().mockResolvedValue(createPage([]));
});
afterEach(() => {
  cleanup();
  session.end();
});

function renderField(permissions: string[], value = '') {
  session.begin({ id: 1, allPermissions: permissions.map((name) => ({ name })) } as unknown as Profile);
  const onChange = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PanelServiceField
        id="field"
        label="Service"
        externalPanelId="3"
        value={value}
        onChange={onChange}
        invalid={false}
      />
    </QueryClientProvider>,
  );
  return onChange;
}

it('lets a user without the permission for external panels type the id, and sends no request', () => {
  const onChange = renderField(['manage services and providers'], '41');
  const input = screen.getByRole('textbox');
  expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).not.toBe('');
  fireEvent.change(input, { target: { value: '42' } });
  expect(onChange).toHaveBeenCalledWith('42');
  expect(fetchPage).not.toHaveBeenCalled();
});

it("lets the user type the id if the external panel's services were not fetched yet", async () => {
  fetchPage.mockResolvedValue(createPage([], 0));
  renderField(['manage external panels']);
  expect(await screen.findByRole('textbox')).toBeTruthy();
});

it("offers the service with the searched id first, and choosing it sets the external panel's service id", async () => {
  fetchPage.mockImplementation(async (_path, query: { search: string; filters: Record<string, string> }) => {
    if (query.filters.external_panel_service_id === '7') return createPage([createService(9, '7', 'Views')]);
    return query.search === '7'
      ? createPage([createService(5, '71', 'Likes 7'), createService(9, '7', 'Views')])
      : createPage([]);
  });
  const onChange = renderField(['manage external panels']);
  const input = await screen.findByRole('combobox');
  fireEvent.change(input, { target: { value: '7' } });
  await waitFor(() => expect(screen.getAllByRole('option', { hidden: true })).toHaveLength(2));
  const [firstOption] = screen.getAllByRole('option', { hidden: true });
  expect(firstOption?.textContent).toContain('Views');
  if (firstOption) fireEvent.click(firstOption);
  await waitFor(() => expect(onChange).toHaveBeenCalledWith('7'));
});
