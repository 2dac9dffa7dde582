import { expect, test } from 'vitest';
import { computeMarginPercent } from './margin';

const PRICE = { amount: '2', quantity: 1000 };

test('computes the margin for different quantities, currencies and order quantity ratios', () => {
  expect(computeMarginPercent(PRICE, { amount: '1.5', quantity: 1000 }, 1, 1)).toBe(25);
  expect(computeMarginPercent(PRICE, { amount: '0.0015', quantity: 1 }, 1, 1)).toBe(25);
  expect(computeMarginPercent(PRICE, { amount: '138.75', quantity: 1000 }, 92.5, 1)).toBe(25);
  expect(computeMarginPercent(PRICE, { amount: '1.5', quantity: 1000 }, 1, 1.1)).toBe(17.5);
  expect(computeMarginPercent(PRICE, { amount: '3', quantity: 1000 }, 1, 1)).toBe(-50);
});

test('returns null if a price or the exchange rate is missing', () => {
  expect(computeMarginPercent({ amount: '', quantity: 1000 }, { amount: '1', quantity: 1000 }, 1, 1)).toBeNull();
  expect(computeMarginPercent({ amount: '0', quantity: 1000 }, { amount: '1', quantity: 1000 }, 1, 1)).toBeNull();
  expect(computeMarginPercent(PRICE, { amount: '1', quantity: 1000 }, Number.NaN, 1)).toBeNull();
});
