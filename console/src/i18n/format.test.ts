import { describe, expect, it } from 'vitest';
import { count, countries, interval, money, percent, relative } from './format';

const plain = (text: string) => text.replaceAll('\u202f', ' ');

describe('how things are written', () => {
  it('groups money by thin spaces and keeps every digit', () => {
    expect(plain(money('1234567.5'))).toBe('$1 234 567.50');
    expect(plain(money('0'))).toBe('$0.00');
    expect(plain(money('-12345678901.123456'))).toBe('−$12 345 678 901.123456');
  });

  it('groups counts', () => {
    expect([0, 999, 1_000, -12_873, 10_000_000].map((value) => plain(count(value)))).toEqual([
      '0',
      '999',
      '1 000',
      '−12 873',
      '10 000 000',
    ]);
  });

  it('writes percents and how long ago', () => {
    expect(plain(percent('-12.5'))).toBe('−12.5 %');
    const now = Date.UTC(2026, 10, 21, 12, 0, 0);
    expect(relative('2026-11-21 08:00:00', now, 'en')).toBe('4 hours ago');
    expect(relative('2026-11-20 11:00:00', now, 'en')).toBe('yesterday');
  });
});

it('writes minutes as days, hours and minutes', () => {
  expect([0, 45, 90, 1530, 2880].map((minutes) => interval(minutes, 'en'))).toEqual([
    '0 min',
    '45 min',
    '1 hr 30 min',
    '1 day 1 hr 30 min',
    '2 days',
  ]);
});

it('names countries in the language; what is no code stays', () => {
  expect(countries(['DE', 'BR', 'germany'], 'en')).toBe('Germany, Brazil, germany');
  expect(countries(['DE'], 'de')).toBe('Deutschland');
});
