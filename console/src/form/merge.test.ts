import { expect, test } from 'vitest';
import { mergeEdits } from './merge';

test('keeps edits, takes current values of other fields, and reports fields that both have changed', () => {
  const base = { name: 'Gold', goal: '100', discount: '5', updated_at: '1' };
  const edited = { ...base, name: 'Golden', discount: '6' };
  const newer = { name: 'Gold', goal: '200', discount: '7', updated_at: '2' };
  expect(mergeEdits(base, edited, newer)).toEqual({
    values: { name: 'Golden', goal: '200', discount: '6', updated_at: '2' },
    conflicts: { discount: '7' },
  });
});

test('the same change by both is no conflict, and an emptied field stays empty', () => {
  expect(mergeEdits({ name: 'a' }, { name: 'b' }, { name: 'b' }).conflicts).toEqual({});
  expect(mergeEdits({ name: 'a' }, { name: '' }, { name: 'a' }).values).toEqual({ name: '' });
});

test('merges texts by language one by one', () => {
  const json = (texts: object) => JSON.stringify(texts);
  const { values, conflicts } = mergeEdits(
    { translations: json({ en: { name: 'Gold' }, fr: { name: 'Or' } }) },
    { translations: json({ en: { name: 'Golden' }, de: { name: 'Gold' } }) },
    { translations: json({ en: { name: 'Golden one' }, fr: { name: 'Or' }, ja: { name: '金' } }) },
    ['translations'],
  );
  expect(JSON.parse(values.translations ?? '')).toEqual({
    en: { name: 'Golden' },
    ja: { name: '金' },
    de: { name: 'Gold' },
  });
  expect(conflicts).toEqual({ 'translations.en.name': 'Golden one' });
});
