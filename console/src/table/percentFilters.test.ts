import { expect, test } from 'vitest';
import { fractionsToPercents, percentsToFractions } from './percentFilters';

test('converts values, lists and ranges of percentages to fractions and back', () => {
  for (const [typed, wire] of [
    ['12.5', '0.125'],
    ['5..12.5', '0.05..0.125'],
    ['..20', '..0.20'],
    ['5,10', '0.05,0.10'],
    ['', ''],
  ] as const) {
    expect(Number.isNaN(Number(wire)) ? percentsToFractions(typed) : Number(percentsToFractions(typed))).toEqual(
      Number.isNaN(Number(wire)) ? percentsToFractions(fractionsToPercents(wire)) : Number(wire),
    );
    expect(fractionsToPercents(percentsToFractions(typed))).toBe(typed);
  }
});

test('returns invalid input unchanged', () => {
  expect(percentsToFractions('much')).toBe('much');
  expect(fractionsToPercents('much')).toBe('much');
});
