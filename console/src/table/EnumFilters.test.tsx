import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { ChoicesFilter, EnumFilter } from './EnumFilters';

vi.mock('./choices', () => ({
  useChoices: (list: string) =>
    list === 'countries' ? ['DE', 'FR'] : ['order.canceled', 'order.placed', 'user.frozen'],
}));

beforeAll(initI18n);
afterEach(cleanup);

it('offers every value, finds values by a substring, and accepts several values', async () => {
  const onChange = vi.fn();
  render(<ChoicesFilter list="auditEvents" label="Event" value="order.placed" onChange={onChange} />);
  fireEvent.click(screen.getByRole('combobox', { name: 'Event' }));
  expect(await screen.findByRole('option', { name: 'user.frozen', hidden: true })).toBeDefined();
  fireEvent.change(screen.getByRole('searchbox', { hidden: true }), { target: { value: 'cancel' } });
  await waitFor(() => expect(screen.queryByRole('option', { name: 'user.frozen', hidden: true })).toBeNull());
  fireEvent.click(screen.getByRole('option', { name: 'order.canceled', hidden: true }));
  expect(onChange).toHaveBeenCalledWith('order.placed,order.canceled');
});

it('shows country names, and filters by country codes', async () => {
  const onChange = vi.fn();
  render(<ChoicesFilter list="countries" label="Countries" value="" onChange={onChange} />);
  fireEvent.click(screen.getByRole('combobox', { name: 'Countries' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Germany', hidden: true }));
  expect(onChange).toHaveBeenCalledWith('DE');
});

it('translates a value that contains a dot, and shows a value without a translation as it is', async () => {
  const onChange = vi.fn();
  const eventFilter = { kind: 'enum', values: ['order.created'], textPrefix: 'eventType' } as const;
  render(<EnumFilter filter={eventFilter} label="Event" value="" onChange={onChange} />);
  fireEvent.click(screen.getByRole('combobox', { name: 'Event' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Order placed', hidden: true }));
  expect(onChange).toHaveBeenCalledWith('order.created');
  cleanup();
  render(<EnumFilter filter={{ kind: 'enum', values: ['SEO'] }} label="Type" value="" onChange={onChange} />);
  fireEvent.click(screen.getByRole('combobox', { name: 'Type' }));
  expect(await screen.findByRole('option', { name: 'SEO', hidden: true })).toBeDefined();
});
