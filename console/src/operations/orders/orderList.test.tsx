import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ORDER_LIST, type OrderRow } from './orderList';

it('shows the quantity of an order without a thousands separator', () => {
  const column = ORDER_LIST.columns.find(({ name }) => name === 'quantity');
  const { container } = render(column?.cell({ quantity: 1_234_000 } as OrderRow));
  expect(container.textContent).toBe('1234000');
});
