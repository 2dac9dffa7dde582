import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Texts, translationErrors } from '../../scripts/texts.mjs';
import columns from './columns.en.json';
import { formatCountries, formatMinutes, formatMoney, formatNumber, formatPercent, formatRelative } from './format';
import { LOCALES } from './locales';

const textFiles = import.meta.glob<Texts>('./texts/*.json', { import: 'default', eager: true });
const getTexts = (code: string) => ({ ...textFiles[`./texts/${code}.json`], ...(code === 'en' ? { columns } : {}) });

beforeAll(async () => {
  const resources = Object.fromEntries(LOCALES.map(({ code }) => [code, { translation: getTexts(code) }]));
  await i18next.init({ lng: 'en', fallbackLng: false, resources, interpolation: { escapeValue: false } });
});

describe.each(LOCALES)('$name', ({ code, tag }) => {
  it('has a translation of every English text, with the same placeholders', () => {
    expect(translationErrors(getTexts('en'), getTexts(code), tag)).toEqual([]);
  });

  it('has a plural form for every count', () => {
    for (const number of [0, 1, 2, 5, 11, 21, 22, 1_000_000, 10_000_000]) {
      const formattedCount = formatNumber(number);
      expect(i18next.t('table.recordCount', { lng: code, count: number, formattedCount })).toMatch(
        new RegExp(`^${formattedCount}`),
      );
    }
  });

  it('does not change formatted amounts', () => {
    const amount = formatMoney('-1234567.5');
    expect(amount).toBe('−$1\u202f234\u202f567.50');
    expect(i18next.t('run.refunded', { lng: code, amount })).toContain(amount);
    expect(i18next.t('payments.created', { lng: code, amount, name: formatPercent('12.5') })).toContain('12.5\u202f%');
  });

  it('translates durations, countries and relative times', () => {
    expect(formatMinutes(1_530, tag)).toMatch(/1.*1.*30/);
    expect(formatCountries(['DE'], tag)).not.toBe('DE');

    const now = Date.UTC(2026, 10, 21, 12, 0, 0);
    const text = formatRelative('2026-11-21 08:00:00', now, tag);
    expect(text).toContain('4');
    expect(text === '4 hours ago').toBe(code === 'en');
  });
});
