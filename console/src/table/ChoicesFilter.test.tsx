import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { ChoicesFilter } from './WordFilters';

vi.mock('./choices', () => ({ useChoices: () => ['order.canceled', 'order.placed', 'user.frozen'] }));

beforeAll(startTexts);
afterEach(cleanup);

it('offers every word of the set, found by a part, and takes several', async () => {
  const changed = vi.fn();
  render(<ChoicesFilter of="auditEvents" label="Event" value="order.placed" onChange={changed} />);
  fireEvent.click(screen.getByRole('combobox', { name: 'Event' }));
  expect(await screen.findByRole('option', { name: 'user.frozen', hidden: true })).toBeDefined();
  fireEvent.change(screen.getByRole('searchbox', { hidden: true }), { target: { value: 'cancel' } });
  await waitFor(() => expect(screen.queryByRole('option', { name: 'user.frozen', hidden: true })).toBeNull());
  fireEvent.click(screen.getByRole('option', { name: 'order.canceled', hidden: true }));
  expect(changed).toHaveBeenCalledWith('order.placed,order.canceled');
});
