import { expect, test } from 'vitest';
import { fractions, percents } from './shares';

test('values, lists and ranges of percents become shares and come back', () => {
  for (const [typed, wire] of [
    ['12.5', '0.125'],
    ['5..12.5', '0.05..0.125'],
    ['..20', '..0.20'],
    ['5,10', '0.05,0.10'],
    ['', ''],
  ] as const) {
    expect(Number.isNaN(Number(wire)) ? fractions(typed) : Number(fractions(typed))).toEqual(
      Number.isNaN(Number(wire)) ? fractions(percents(wire)) : Number(wire),
    );
    expect(percents(fractions(typed))).toBe(typed);
  }
});

test('what is no number is left for the server to name', () => {
  expect(fractions('much')).toBe('much');
  expect(percents('much')).toBe('much');
});
