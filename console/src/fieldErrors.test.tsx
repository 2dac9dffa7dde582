// Checks that field errors are shown next to their fields also outside of dialogs: in filters, periods and lists of users.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import NotificationsPage from './configuration/settings/Notifications';
import HomeStatistics from './home/Statistics';
import CouponStatistics from './marketing/coupons/Statistics';
import WidgetStatistics from './marketing/widgets/Statistics';
import type { List } from './table/listDefinition';
import { ServerTable } from './table/ServerTable';

vi.mock('@/ui/PeriodChart', () => ({ PeriodChart: () => null }));

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  history.replaceState(null, '', '/');
});

type CreateBody = (request: Request) => unknown;

/**
 * Mocks the server: it responds with the body that `createBody` returns, or rejects the request with `errors` if there is no body.
 */
function mockServer(errors: Record<string, string[]>, createBody: CreateBody = () => undefined) {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const body = createBody(request as Request);
    if (body) return Response.json(body);
    return Response.json({ code: 'invalid', message: 'Something is wrong.', errors }, { status: 422 });
  });
}

function renderWithQueries(children: ReactNode) {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(<QueryClientProvider client={queryClient}>{children}</QueryClientProvider>);
}

it.each([
  ['the home screen', HomeStatistics, 'startDate'],
  ['coupons', CouponStatistics, 'start_date'],
  ['order widgets', WidgetStatistics, 'start_date'],
])('the statistics of %s show the error of an invalid period next to the period', async (_, Statistics, field) => {
  mockServer({ [field]: ['Choose at most 366 days.'] });
  renderWithQueries(<Statistics />);
  expect((await screen.findByText('Choose at most 366 days.')).className).toBe('field-error');
  expect(screen.queryByRole('alert')).toBeNull();
});

it('a list shows the error of a filter next to the filter, also in the filters dialog', async () => {
  history.replaceState(null, '', '/orders?cost=cheap&price=dear');
  mockServer({ 'columns.0.search': ['Not an amount.'], 'columns.1.search': ['No price.'] });
  const moneyColumn = { label: 'orders.columns.cost', width: 90, cell: () => null, filter: { kind: 'money' } } as const;
  const columns = [
    { ...moneyColumn, name: 'cost' },
    { ...moneyColumn, name: 'price', label: 'orders.price', filterOnly: true },
  ] as const;
  const list: List<{ id: number }> = { name: 'orders', title: 'orders.title', path: '/orders', columns };
  renderWithQueries(<ServerTable list={list} />);
  const costFilter = await screen.findByRole('textbox', { name: 'Filter by Cost', description: 'Not an amount.' });
  expect(costFilter.getAttribute('aria-invalid')).toBe('true');
  fireEvent.click(screen.getByRole('button', { name: 'More filters' }));
  await screen.findByRole('textbox', { name: 'Filter by Price', description: 'No price.' });
});

it('the notification settings show the error of a recipient next to the recipient', async () => {
  const users = [7, 8].map((id) => ({ id, name: `Person ${id}`, email: `${id}@panel.example`, withheld: [] }));
  mockServer({ 'users.0': ['8 is not an active staff member.'] }, ({ method, url }) => {
    if (method !== 'GET') return undefined;
    return url.endsWith('/notifications') ? { data: { panel_notifications: [] } } : { data: { users } };
  });
  renderWithQueries(<NotificationsPage />);
  const [removeButton] = await screen.findAllByRole('button', { name: /Person 7/ });
  fireEvent.click(removeButton as HTMLElement);
  for (const saveButton of screen.getAllByRole('button', { name: 'Save' })) fireEvent.click(saveButton);
  const message = await screen.findByText('8 is not an active staff member.');
  expect(message.closest('li')?.textContent).toContain('Person 8');
  expect(screen.queryByRole('alert')).toBeNull();
});
