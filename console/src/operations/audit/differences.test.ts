import { expect, it } from 'vitest';
import { findDifferences, formatFieldName } from './differences';

it('returns only the fields that differ', () => {
  expect(findDifferences({ status: 'stopped', cost: '5' }, { status: 'canceled', cost: '5', ids: [1, 2] })).toEqual([
    { field: 'status', oldValue: 'stopped', newValue: 'canceled' },
    { field: 'ids', oldValue: null, newValue: '[1,2]' },
  ]);
  expect(findDifferences({ name: 'A' }, {})).toEqual([{ field: 'name', oldValue: 'A', newValue: null }]);
  expect(findDifferences('broken', {})).toEqual([{ field: 'value', oldValue: 'broken', newValue: null }]);
  expect(findDifferences({ a: null }, {})).toEqual([]);
});

it('formats the name of a field as a label', () => {
  expect(formatFieldName('min_quantity')).toBe('Min quantity');
});
