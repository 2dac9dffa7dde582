import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ORDERS, type OrderRow } from './declaration';

it('shows the quantity of an order without a thousands separator', () => {
  const column = ORDERS.columns.find(({ name }) => name === 'quantity');
  const { container } = render(column?.cell({ quantity: 1_234_000 } as OrderRow));
  expect(container.textContent).toBe('1234000');
});
