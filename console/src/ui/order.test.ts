import { expect, test } from 'vitest';
import { moved } from './order';

test('an item goes to its place, the others keep their order', () => {
  expect(moved(['a', 'b', 'c', 'd'], 3, 0)).toEqual(['d', 'a', 'b', 'c']);
  expect(moved(['a', 'b', 'c', 'd'], 0, 2)).toEqual(['b', 'c', 'a', 'd']);
  expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});
