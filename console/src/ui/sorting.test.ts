import { expect, test } from 'vitest';
import { applySorting, moveItem } from './sorting';

test('moves an item, and keeps the order of the other items', () => {
  expect(moveItem(['a', 'b', 'c', 'd'], 3, 0)).toEqual(['d', 'a', 'b', 'c']);
  expect(moveItem(['a', 'b', 'c', 'd'], 0, 2)).toEqual(['b', 'c', 'a', 'd']);
  expect(moveItem(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});

test('applies a sorting to a list in which items were added and deleted', () => {
  const createItems = (...ids: number[]) => ids.map((id) => ({ id, name: `current ${id}` }));
  const sortIds = (userSorting: number[], current: number[]) =>
    applySorting(createItems(...userSorting), createItems(...current)).map(({ id }) => id);
  expect(sortIds([3, 1, 2], [1, 2, 3])).toEqual([3, 1, 2]);
  // Deleted: 2. New: 4 after 1, 5 at the start, 6 and 7 after 3.
  expect(sortIds([3, 2, 1], [5, 1, 4, 3, 6, 7])).toEqual([5, 3, 6, 7, 1, 4]);
  expect(sortIds([2, 1], [])).toEqual([]);
  expect(applySorting([{ id: 1 }], createItems(1))).toEqual([{ id: 1, name: 'current 1' }]);
});
