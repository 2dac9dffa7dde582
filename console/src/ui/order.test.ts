import { expect, test } from 'vitest';
import { moved, reordered } from './order';

test('an item goes to its place, the others keep their order', () => {
  expect(moved(['a', 'b', 'c', 'd'], 3, 0)).toEqual(['d', 'a', 'b', 'c']);
  expect(moved(['a', 'b', 'c', 'd'], 0, 2)).toEqual(['b', 'c', 'a', 'd']);
  expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});

test('an order is kept over a list that changed meanwhile', () => {
  const list = (...ids: number[]) => ids.map((id) => ({ id, name: `now ${id}` }));
  const ids = (mine: number[], now: number[]) => reordered(list(...mine), list(...now)).map(({ id }) => id);
  expect(ids([3, 1, 2], [1, 2, 3])).toEqual([3, 1, 2]);
  // 2 is gone; 4 was put behind 1, 5 before all, 6 and 7 at the end.
  expect(ids([3, 2, 1], [5, 1, 4, 3, 6, 7])).toEqual([5, 3, 6, 7, 1, 4]);
  expect(ids([2, 1], [])).toEqual([]);
  expect(reordered([{ id: 1 }], list(1))).toEqual([{ id: 1, name: 'now 1' }]);
});
