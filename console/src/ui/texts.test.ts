import { expect, test } from 'vitest';
import { completeness, fillMissing, missingTexts, parseTexts, setText } from './texts';

const all = { en: { name: 'Card', description: 'By card' }, de: { name: 'Karte' } };

test('sets a text, and removes empty texts and languages', () => {
  expect(setText(all, 'de', 'name', '')).toEqual({ en: all.en });
  expect(setText(parseTexts(''), 'ja', 'name', 'カード')).toEqual({ ja: { name: 'カード' } });
  expect(setText(all, 'de', 'description', 'Per Karte').de).toEqual({ name: 'Karte', description: 'Per Karte' });
});

test('a language is complete when it has every text that English has', () => {
  const names = ['name', 'description', 'note'];
  expect(['en', 'de', 'ja'].map((locale) => completeness(all, names, locale))).toEqual(['all', 'some', 'none']);
});

const some = { en: { name: 'Likes', faq: 'Why?', geo: ' ' }, de: { name: 'Gefällt mir', faq: ' ' } };

test('missing texts are those that only English has', () => {
  expect(missingTexts(some, ['name', 'faq', 'geo'], 'de')).toEqual({ faq: 'Why?' });
  expect(missingTexts(some, ['name', 'faq', 'geo'], 'fr')).toEqual({ name: 'Likes', faq: 'Why?' });
  expect(missingTexts(some, ['name'], 'en')).toEqual({});
});

test('fills missing texts without overwriting others', () => {
  const now = fillMissing(some, 'de', { name: 'Likes!', faq: 'Warum?' });
  expect(now.de).toEqual({ name: 'Gefällt mir', faq: 'Warum?' });
  expect(fillMissing(some, 'fr', {}).fr).toBeUndefined();
});
