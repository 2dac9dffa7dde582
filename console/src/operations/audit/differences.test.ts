import { expect, it } from 'vitest';
import { differences, words } from './differences';

it('names what differs, and nothing else', () => {
  expect(differences({ status: 'stopped', cost: '5' }, { status: 'canceled', cost: '5', ids: [1, 2] })).toEqual([
    { field: 'status', before: 'stopped', after: 'canceled' },
    { field: 'ids', before: null, after: '[1,2]' },
  ]);
  expect(differences({ name: 'A' }, {})).toEqual([{ field: 'name', before: 'A', after: null }]);
  expect(differences('broken', {})).toEqual([{ field: 'value', before: 'broken', after: null }]);
  expect(differences({ a: null }, {})).toEqual([]);
});

it('words a field for people', () => {
  expect(words('min_quantity')).toBe('Min quantity');
});
