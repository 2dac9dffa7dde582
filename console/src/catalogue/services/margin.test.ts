import { expect, test } from 'vitest';
import { marginPercent } from './margin';

const PRICE = { amount: '2', quantity: 1000 };

test('compares prices of different quantities, currencies and ratios', () => {
  expect(marginPercent(PRICE, { amount: '1.5', quantity: 1000 }, 1, 1)).toBe(25);
  expect(marginPercent(PRICE, { amount: '0.0015', quantity: 1 }, 1, 1)).toBe(25);
  expect(marginPercent(PRICE, { amount: '138.75', quantity: 1000 }, 92.5, 1)).toBe(25);
  expect(marginPercent(PRICE, { amount: '1.5', quantity: 1000 }, 1, 1.1)).toBe(17.5);
  expect(marginPercent(PRICE, { amount: '3', quantity: 1000 }, 1, 1)).toBe(-50);
});

test('returns null without a price or a rate', () => {
  expect(marginPercent({ amount: '', quantity: 1000 }, { amount: '1', quantity: 1000 }, 1, 1)).toBeNull();
  expect(marginPercent({ amount: '0', quantity: 1000 }, { amount: '1', quantity: 1000 }, 1, 1)).toBeNull();
  expect(marginPercent(PRICE, { amount: '1', quantity: 1000 }, Number.NaN, 1)).toBeNull();
});
