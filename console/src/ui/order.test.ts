import { expect, test } from 'vitest';
import { applyOrder, moveItem } from './order';

test('moves an item and keeps the order of the others', () => {
  expect(moveItem(['a', 'b', 'c', 'd'], 3, 0)).toEqual(['d', 'a', 'b', 'c']);
  expect(moveItem(['a', 'b', 'c', 'd'], 0, 2)).toEqual(['b', 'c', 'a', 'd']);
  expect(moveItem(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});

test('applies an order to a list that has changed meanwhile', () => {
  const list = (...ids: number[]) => ids.map((id) => ({ id, name: `now ${id}` }));
  const ids = (mine: number[], now: number[]) => applyOrder(list(...mine), list(...now)).map(({ id }) => id);
  expect(ids([3, 1, 2], [1, 2, 3])).toEqual([3, 1, 2]);
  // 2 is gone; 4 was put behind 1, 5 before all, 6 and 7 at the end.
  expect(ids([3, 2, 1], [5, 1, 4, 3, 6, 7])).toEqual([5, 3, 6, 7, 1, 4]);
  expect(ids([2, 1], [])).toEqual([]);
  expect(applyOrder([{ id: 1 }], list(1))).toEqual([{ id: 1, name: 'now 1' }]);
});
