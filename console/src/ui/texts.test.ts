import { expect, test } from 'vitest';
import { completeness, textsOf, withText } from './texts';

const all = { en: { name: 'Card', description: 'By card' }, de: { name: 'Karte' } };

test('a text stands in its place; what is empty is left out', () => {
  expect(withText(all, 'de', 'name', '')).toEqual({ en: all.en });
  expect(withText(textsOf(''), 'ja', 'name', 'カード')).toEqual({ ja: { name: 'カード' } });
  expect(withText(all, 'de', 'description', 'Per Karte').de).toEqual({ name: 'Karte', description: 'Per Karte' });
});

test('a language is complete when it has every text that English has', () => {
  const names = ['name', 'description', 'note'];
  expect(['en', 'de', 'ja'].map((locale) => completeness(all, names, locale))).toEqual(['all', 'some', 'none']);
});
