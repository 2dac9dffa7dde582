import { describe, expect, it } from 'vitest';
import { moved, placeAfter } from './SortableList';

describe('a list that is put in order', () => {
  it('moves one element and keeps the others in their order', () => {
    expect(moved([1, 2, 3, 4], 0, 2)).toEqual([2, 3, 1, 4]);
    expect(moved([1, 2, 3, 4], 3, 0)).toEqual([4, 1, 2, 3]);
    expect(moved([1, 2], 7, 0)).toEqual([1, 2]);
  });

  it('goes where a key says, and not beyond the ends', () => {
    expect(placeAfter('ArrowUp', 0, 5)).toBe(0);
    expect(placeAfter('ArrowDown', 0, 5)).toBe(1);
    expect(placeAfter('PageDown', 2, 5)).toBe(4);
    expect([placeAfter('Home', 3, 5), placeAfter('End', 1, 5)]).toEqual([0, 4]);
    expect(placeAfter('Tab', 1, 5)).toBeNull();
  });
});
