import { expect, test } from 'vitest';
import { fractionsToPercents, percentsToFractions } from './percentFilters';

test.each([
  ['12.5', '0.125'],
  ['5..12.5', '0.05..0.125'],
  ['..25', '..0.25'],
  ['5,12', '0.05,0.12'],
  ['', ''],
])('converts the percentages "%s" to the fractions "%s" and back', (percents, fractions) => {
  expect(percentsToFractions(percents)).toBe(fractions);
  expect(fractionsToPercents(fractions)).toBe(percents);
});

test('does not change invalid input', () => {
  expect(percentsToFractions('much')).toBe('much');
  expect(fractionsToPercents('much')).toBe('much');
});
