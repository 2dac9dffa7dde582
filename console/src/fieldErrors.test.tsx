// Field errors are shown at their fields also outside of dialogs: at filters, periods and lists of users.
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

type ResponseBody = (request: Request) => unknown;

/** Mocks the server: it responds with the body that `responseBody` returns, or rejects the call with `errors` if there is none. */
function mockServer(errors: Record<string, string[]>, responseBody: ResponseBody = () => undefined) {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const body = responseBody(request as Request);
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
])('the statistics of %s show an error of the period at the period', async (_, Statistics, field) => {
  mockServer({ [field]: ['Choose at most 366 days.'] });
  renderWithQueries(<Statistics />);
  expect((await screen.findByText('Choose at most 366 days.')).className).toBe('field-error');
  expect(screen.queryByRole('alert')).toBeNull();
});

it('a list shows the error of a filter at the filter, also in the filters dialog', async () => {
  history.replaceState(null, '', '/orders?cost=cheap&price=dear');
  mockServer({ 'columns.0.search': ['Not an amount.'], 'columns.1.search': ['No price.'] });
  const money = { label: 'orders.columns.cost', width: 90, cell: () => null, filter: { kind: 'money' } } as const;
  const columns = [
    { ...money, name: 'cost' },
    { ...money, name: 'price', label: 'orders.price', filterOnly: true },
  ] as const;
  const list: List<{ id: number }> = { name: 'orders', title: 'orders.title', path: '/orders', columns };
  renderWithQueries(<ServerTable list={list} />);
  const cost = await screen.findByRole('textbox', { name: 'Filter by Cost', description: 'Not an amount.' });
  expect(cost.getAttribute('aria-invalid')).toBe('true');
  fireEvent.click(screen.getByRole('button', { name: 'More filters' }));
  await screen.findByRole('textbox', { name: 'Filter by Price', description: 'No price.' });
});

it('the notification settings show an error at the user that it is about', async () => {
  const users = [7, 8].map((id) => ({ id, name: `Person ${id}`, email: `${id}@panel.example`, withheld: [] }));
  mockServer({ 'users.0': ['8 is no active member of the staff.'] }, ({ method, url }) => {
    if (method !== 'GET') return undefined;
    return url.endsWith('/notifications') ? { data: { panel_notifications: [] } } : { data: { users } };
  });
  renderWithQueries(<NotificationsPage />);
  const [remove] = await screen.findAllByRole('button', { name: /Person 7/ });
  fireEvent.click(remove as HTMLElement);
  for (const save of screen.getAllByRole('button', { name: 'Save' })) fireEvent.click(save);
  const message = await screen.findByText('8 is no active member of the staff.');
  expect(message.closest('li')?.textContent).toContain('Person 8');
  expect(screen.queryByRole('alert')).toBeNull();
});
