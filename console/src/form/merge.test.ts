import { expect, test } from 'vitest';
import { mergeEdits } from './merge';

test('keeps edits, updates other fields, and reports fields that both users have changed', () => {
  const base = { name: 'Gold', goal: '100', discount: '5', updated_at: '1' };
  const edited = { ...base, name: 'Golden', discount: '6' };
  const saved = { name: 'Gold', goal: '200', discount: '7', updated_at: '2' };
  expect(mergeEdits(base, edited, saved)).toEqual({
    values: { name: 'Golden', goal: '200', discount: '6', updated_at: '2' },
    conflicts: { discount: '7' },
  });
});

test('the same change by both users is not a conflict, and a field that the user has cleared stays empty', () => {
  expect(mergeEdits({ name: 'a' }, { name: 'b' }, { name: 'b' }).conflicts).toEqual({});
  expect(mergeEdits({ name: 'a' }, { name: '' }, { name: 'a' }).values).toEqual({ name: '' });
});

test('merges each text of each language separately', () => {
  const toJson = (texts: object) => JSON.stringify(texts);
  const { values, conflicts } = mergeEdits(
    { translations: toJson({ en: { name: 'Gold' }, fr: { name: 'Or' } }) },
    { translations: toJson({ en: { name: 'Golden' }, de: { name: 'Gold' } }) },
    { translations: toJson({ en: { name: 'Golden one' }, fr: { name: 'Or' }, ja: { name: '金' } }) },
    ['translations'],
  );
  expect(JSON.parse(values.translations ?? '')).toEqual({
    en: { name: 'Golden' },
    ja: { name: '金' },
    de: { name: 'Gold' },
  });
  expect(conflicts).toEqual({ 'translations.en.name': 'Golden one' });
});
