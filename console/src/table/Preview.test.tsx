import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { startTexts } from '@/i18n';
import type { BulkOutcome } from './action';
import { Preview } from './Preview';

beforeAll(startTexts);
afterEach(cleanup);

const tried = (costs: NonNullable<BulkOutcome['costs']>): BulkOutcome => ({
  processed: 2,
  skipped: [],
  totals: { orders: 2, returned: '0', users: 0, charged: '0' },
  dry_run: true,
  costs,
});

test('a change of provider shows how many would be ordered and what they cost', () => {
  const orders = [
    { id: 1, quantity: 100, margin: { provider_cost: '1', margin: '-0.5' } },
    { id: 2, quantity: 200, margin: { provider_cost: '0.2', margin: '1.5' } },
  ];
  const costs = { total: { provider_cost: '1.2', margin: '1' }, orders };
  render(<Preview ids={[1, 2]} preview={tried(costs)} trying={false} final={false} />);
  expect(screen.getByText('300 units would be ordered there.')).toBeTruthy();
  expect(screen.getByText('The provider charges $1.20; $1.00 of the charge is left.')).toBeTruthy();
  expect(screen.getByText('1 order is delivered at a loss.')).toBeTruthy();
});

test('a cost that is not known is said like a loss, beside the quantity', () => {
  const costs = { total: null, orders: [{ id: 1, quantity: 30, margin: null }] };
  render(<Preview ids={[1]} preview={tried(costs)} trying={false} final={false} />);
  expect(screen.getByText('30 units would be ordered there.')).toBeTruthy();
  expect(screen.getByText(/its currency has no exchange rate/).className).toBe('field-error');
});
