import { expect, it } from 'vitest';
import { differencesOf, fieldLabel } from './differences';

it('returns only the fields that differ', () => {
  expect(differencesOf({ status: 'stopped', cost: '5' }, { status: 'canceled', cost: '5', ids: [1, 2] })).toEqual([
    { field: 'status', before: 'stopped', after: 'canceled' },
    { field: 'ids', before: null, after: '[1,2]' },
  ]);
  expect(differencesOf({ name: 'A' }, {})).toEqual([{ field: 'name', before: 'A', after: null }]);
  expect(differencesOf('broken', {})).toEqual([{ field: 'value', before: 'broken', after: null }]);
  expect(differencesOf({ a: null }, {})).toEqual([]);
});

it('formats the name of a field as a label', () => {
  expect(fieldLabel('min_quantity')).toBe('Min quantity');
});
