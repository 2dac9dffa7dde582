import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { initI18n } from '@/i18n';
import { ActionPreview } from './ActionPreview';
import type { BulkOutcome } from './action';

beforeAll(initI18n);
afterEach(cleanup);

const createOutcomeWithCosts = (costs: NonNullable<BulkOutcome['costs']>): BulkOutcome => ({
  processed: 2,
  skipped: [],
  totals: { orders: 2, refunded: '0', users: 0, charged: '0' },
  dry_run: true,
  costs,
});

test('shows the quantity and the cost of a change of provider', () => {
  const orders = [
    { id: 1, quantity: 100, margin: { provider_cost: '1', margin: '-0.5' } },
    { id: 2, quantity: 200, margin: { provider_cost: '0.2', margin: '1.5' } },
  ];
  const costs = { total: { provider_cost: '1.2', margin: '1' }, orders };
  render(
    <ActionPreview
      actionName="approve"
      ids={[1, 2]}
      preview={createOutcomeWithCosts(costs)}
      isPreviewing={false}
      isIrreversible={false}
    />,
  );
  expect(screen.getByText('300 units will be ordered from the provider.')).toBeTruthy();
  expect(screen.getByText('Provider cost: $1.20. Margin left: $1.00.')).toBeTruthy();
  expect(screen.getByText('1 order will be delivered at a loss.')).toBeTruthy();
});

test('shows an error below the quantity if the cost is unknown', () => {
  const costs = { total: null, orders: [{ id: 1, quantity: 30, margin: null }] };
  render(
    <ActionPreview
      actionName="approve"
      ids={[1]}
      preview={createOutcomeWithCosts(costs)}
      isPreviewing={false}
      isIrreversible={false}
    />,
  );
  expect(screen.getByText('30 units will be ordered from the provider.')).toBeTruthy();
  expect(screen.getByText(/its currency has no exchange rate/).className).toBe('field-error');
});
