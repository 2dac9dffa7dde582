import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { faults, type Texts } from '../../scripts/texts.mjs';
import columns from './columns.en.json';
import { count, countries, interval, money, percent, relative } from './format';
import { LOCALES } from './locales';

const texts = import.meta.glob<Texts>('./texts/*.json', { import: 'default', eager: true });
const textsOf = (code: string) => ({ ...texts[`./texts/${code}.json`], ...(code === 'en' ? { columns } : {}) });

beforeAll(async () => {
  const resources = Object.fromEntries(LOCALES.map(({ code }) => [code, { translation: textsOf(code) }]));
  await i18next.init({ lng: 'en', fallbackLng: false, resources, interpolation: { escapeValue: false } });
});

describe.each(LOCALES)('$name', ({ code, tag }) => {
  it('has every text that English has, with the same placeholders', () => {
    expect(faults(textsOf('en'), textsOf(code), tag)).toEqual([]);
  });

  it('has a form for every number', () => {
    for (const number of [0, 1, 2, 5, 11, 21, 22, 1_000_000, 10_000_000]) {
      const shown = count(number);
      expect(i18next.t('table.count', { lng: code, count: number, shown })).toMatch(new RegExp(`^${shown}`));
    }
  });

  it('leaves amounts as they are written', () => {
    const amount = money('-1234567.5');
    expect(amount).toBe('−$1\u202f234\u202f567.50');
    expect(i18next.t('run.returned', { lng: code, amount })).toContain(amount);
    expect(i18next.t('payments.created', { lng: code, amount, name: percent('12.5') })).toContain('12.5\u202f%');
  });

  it('says durations, countries and how long ago in its own words', () => {
    expect(interval(1_530, tag)).toMatch(/1.*1.*30/);
    expect(countries(['DE'], tag)).not.toBe('DE');

    const now = Date.UTC(2026, 10, 21, 12, 0, 0);
    const said = relative('2026-11-21 08:00:00', now, tag);
    expect(said).toContain('4');
    expect(said === '4 hours ago').toBe(code === 'en');
  });
});
