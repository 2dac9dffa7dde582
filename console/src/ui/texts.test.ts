import { expect, test } from 'vitest';
import { completeness, filled, missing, textsOf, withText } from './texts';

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

const some = { en: { name: 'Likes', faq: 'Why?', geo: ' ' }, de: { name: 'Gefällt mir', faq: ' ' } };

test('what a language lacks is what English says and it does not', () => {
  expect(missing(some, ['name', 'faq', 'geo'], 'de')).toEqual({ faq: 'Why?' });
  expect(missing(some, ['name', 'faq', 'geo'], 'fr')).toEqual({ name: 'Likes', faq: 'Why?' });
  expect(missing(some, ['name'], 'en')).toEqual({});
});

test('what is missing is filled in and nothing is written over', () => {
  const now = filled(some, 'de', { name: 'Likes!', faq: 'Warum?' });
  expect(now.de).toEqual({ name: 'Gefällt mir', faq: 'Warum?' });
  expect(filled(some, 'fr', {}).fr).toBeUndefined();
});
