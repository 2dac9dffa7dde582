// What the server refuses stands at the field that it names, also outside of dialogs: at filters, periods and people.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import NotificationsPage from './configuration/settings/Notifications';
import HomeStatistics from './home/Statistics';
import CouponStatistics from './marketing/coupons/Statistics';
import WidgetStatistics from './marketing/widgets/Statistics';
import type { List } from './table/declare';
import { ServerTable } from './table/ServerTable';

vi.mock('@/ui/PeriodChart', () => ({ PeriodChart: () => null }));

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  history.replaceState(null, '', '/');
});

type Answer = (request: Request) => unknown;

/** Every call is refused with `errors`, or answered as `answer` says. */
function refuse(errors: Record<string, string[]>, answer: Answer = () => undefined) {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    const body = answer(request as Request);
    if (body) return Response.json(body);
    return Response.json({ code: 'invalid', message: 'Something is wrong.', errors }, { status: 422 });
  });
}

function draw(children: ReactNode) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(<QueryClientProvider client={queries}>{children}</QueryClientProvider>);
}

it.each([
  ['the home screen', HomeStatistics, 'startDate'],
  ['coupons', CouponStatistics, 'start_date'],
  ['order widgets', WidgetStatistics, 'start_date'],
])('the statistics of %s say at the period what is wrong with it', async (_, Statistics, field) => {
  refuse({ [field]: ['Choose at most 366 days.'] });
  draw(<Statistics />);
  expect((await screen.findByText('Choose at most 366 days.')).className).toBe('field-error');
  expect(screen.queryByRole('alert')).toBeNull();
});

it('a list says at a filter what is wrong with it, also in the dialog of filters', async () => {
  history.replaceState(null, '', '/orders?cost=cheap&price=dear');
  refuse({ 'columns.0.search': ['Not an amount.'], 'columns.1.search': ['No price.'] });
  const money = { label: 'orders.columns.cost', width: 90, cell: () => null, filter: { kind: 'money' } } as const;
  const columns = [
    { ...money, name: 'cost' },
    { ...money, name: 'price', label: 'orders.price', filterOnly: true },
  ] as const;
  const list: List<{ id: number }> = { name: 'orders', title: 'orders.title', path: '/orders', columns };
  draw(<ServerTable list={list} />);
  const cost = await screen.findByRole('textbox', { name: 'Filter by Cost', description: 'Not an amount.' });
  expect(cost.getAttribute('aria-invalid')).toBe('true');
  fireEvent.click(screen.getByRole('button', { name: 'More filters' }));
  await screen.findByRole('textbox', { name: 'Filter by Price', description: 'No price.' });
});

it('the people who are notified say who of them cannot be', async () => {
  const people = [7, 8].map((id) => ({ id, name: `Person ${id}`, email: `${id}@panel.example`, withheld: [] }));
  refuse({ 'users.0': ['8 is no active member of the staff.'] }, ({ method, url }) => {
    if (method !== 'GET') return undefined;
    return url.endsWith('/notifications') ? { data: { panel_notifications: [] } } : { data: { users: people } };
  });
  draw(<NotificationsPage />);
  const [remove] = await screen.findAllByRole('button', { name: /Person 7/ });
  fireEvent.click(remove as HTMLElement);
  for (const save of screen.getAllByRole('button', { name: 'Save' })) fireEvent.click(save);
  const said = await screen.findByText('8 is no active member of the staff.');
  expect(said.closest('li')?.textContent).toContain('Person 8');
  expect(screen.queryByRole('alert')).toBeNull();
});
