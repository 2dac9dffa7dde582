import { describe, expect, it } from 'vitest';
import { placeAfter } from './SortableList';

describe('a list that is put in order', () => {
  it('goes where a key says, and not beyond the ends', () => {
    expect(placeAfter('ArrowUp', 0, 5)).toBe(0);
    expect(placeAfter('ArrowDown', 0, 5)).toBe(1);
    expect(placeAfter('PageDown', 2, 5)).toBe(4);
    expect([placeAfter('Home', 3, 5), placeAfter('End', 1, 5)]).toEqual([0, 4]);
    expect(placeAfter('Tab', 1, 5)).toBeNull();
  });
});
