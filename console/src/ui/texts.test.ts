import { expect, test } from 'vitest';
import { fillMissingTexts, findMissingTexts, getTranslationStatus, parseTexts, setText } from './texts';

const TEXTS = { en: { name: 'Card', description: 'By card' }, de: { name: 'Karte' } };

test('sets a text, and removes empty texts and languages', () => {
  expect(setText(TEXTS, 'de', 'name', '')).toEqual({ en: TEXTS.en });
  expect(setText(parseTexts(''), 'ja', 'name', 'カード')).toEqual({ ja: { name: 'カード' } });
  expect(setText(TEXTS, 'de', 'description', 'Per Karte').de).toEqual({ name: 'Karte', description: 'Per Karte' });
});

test('a language is complete if it has every text that English has', () => {
  const names = ['name', 'description', 'note'];
  expect(['en', 'de', 'ja'].map((locale) => getTranslationStatus(TEXTS, names, locale))).toEqual([
    'complete',
    'incomplete',
    'missing',
  ]);
});

const INCOMPLETE_TEXTS = { en: { name: 'Likes', faq: 'Why?', geo: ' ' }, de: { name: 'Gefällt mir', faq: ' ' } };

test('a text is missing if English has it and the language does not', () => {
  expect(findMissingTexts(INCOMPLETE_TEXTS, ['name', 'faq', 'geo'], 'de')).toEqual({ faq: 'Why?' });
  expect(findMissingTexts(INCOMPLETE_TEXTS, ['name', 'faq', 'geo'], 'fr')).toEqual({ name: 'Likes', faq: 'Why?' });
  expect(findMissingTexts(INCOMPLETE_TEXTS, ['name'], 'en')).toEqual({});
});

test('fills missing texts, and does not overwrite existing texts', () => {
  const filledTexts = fillMissingTexts(INCOMPLETE_TEXTS, 'de', { name: 'Likes!', faq: 'Warum?' });
  expect(filledTexts.de).toEqual({ name: 'Gefällt mir', faq: 'Warum?' });
  expect(fillMissingTexts(INCOMPLETE_TEXTS, 'fr', {}).fr).toBeUndefined();
});
