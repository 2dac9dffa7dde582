import { describe, expect, it } from 'vitest';
import { formatCountries, formatMinutes, formatMoney, formatNumber, formatPercent, formatRelative } from './format';

const withPlainSpaces = (text: string) => text.replaceAll('\u202f', ' ');

describe('number formats', () => {
  it('separates the digits of amounts with thin spaces, and loses no digits', () => {
    expect(withPlainSpaces(formatMoney('1234567.5'))).toBe('$1 234 567.50');
    expect(withPlainSpaces(formatMoney('0'))).toBe('$0.00');
    expect(withPlainSpaces(formatMoney('-12345678901.123456'))).toBe('−$12 345 678 901.123456');
  });

  it('separates the digits of counts with thin spaces', () => {
    expect([0, 999, 1_000, -12_873, 10_000_000].map((value) => withPlainSpaces(formatNumber(value)))).toEqual([
      '0',
      '999',
      '1 000',
      '−12 873',
      '10 000 000',
    ]);
  });

  it('formats percentages and relative times', () => {
    expect(withPlainSpaces(formatPercent('-12.5'))).toBe('−12.5 %');
    const now = Date.UTC(2026, 10, 21, 12, 0, 0);
    expect(formatRelative('2026-11-21 08:00:00', now, 'en')).toBe('4 hours ago');
    expect(formatRelative('2026-11-20 11:00:00', now, 'en')).toBe('yesterday');
  });
});

it('formats minutes as days, hours and minutes', () => {
  expect([0, 45, 90, 1530, 2880].map((minutes) => formatMinutes(minutes, 'en'))).toEqual([
    '0 min',
    '45 min',
    '1 hr 30 min',
    '1 day 1 hr 30 min',
    '2 days',
  ]);
});

it('translates country codes, and does not change other strings', () => {
  expect(formatCountries(['DE', 'BR', 'germany'], 'en')).toBe('Germany, Brazil, germany');
  expect(formatCountries(['DE'], 'de')).toBe('Deutschland');
});
