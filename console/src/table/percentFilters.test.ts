import { expect, test } from 'vitest';
import { fractionsToPercents, percentsToFractions } from './percentFilters';

test('converts values, lists and ranges of percentages to fractions and back', () => {
  for (const [percents, fractions] of [
    ['12.5', '0.125'],
    ['5..12.5', '0.05..0.125'],
    ['..20', '..0.20'],
    ['5,10', '0.05,0.10'],
    ['', ''],
  ] as const) {
    expect(
      Number.isNaN(Number(fractions)) ? percentsToFractions(percents) : Number(percentsToFractions(percents)),
    ).toEqual(
      Number.isNaN(Number(fractions)) ? percentsToFractions(fractionsToPercents(fractions)) : Number(fractions),
    );
    expect(fractionsToPercents(percentsToFractions(percents))).toBe(percents);
  }
});

test('returns invalid input unchanged', () => {
  expect(percentsToFractions('much')).toBe('much');
  expect(fractionsToPercents('much')).toBe('much');
});
