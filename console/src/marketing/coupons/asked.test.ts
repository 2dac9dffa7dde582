import { expect, it } from 'vitest';
import { body, changed, read } from './asked';

it('reads the address, and leaves out what the statistics do not know', () => {
  const asked = read('by=both&coupons=3,x,5&affiliates=anna&sort=-spent&page=2&size=50&dates=2026-01-01..2026-01-31');
  expect(body(asked)).toEqual({
    start_date: '2026-01-01',
    end_date: '2026-01-31',
    coupons: [3, 5],
    grouping: 'coupon',
    sort: 'spent',
    descending: true,
    start: 50,
    length: 50,
  });
  expect(body(read('size=7&page=-1&sort=code'))).toEqual({ start: 0, length: 30 });
});

it('sorts by what the rows of a group have', () => {
  expect(read('sort=name').sort).toEqual([{ column: 'name', descending: false }]);
  expect(read('by=date&sort=name').sort).toEqual([]);
  expect(read('by=date&sort=-date').sort).toEqual([{ column: 'date', descending: true }]);
  expect(read('by=coupon&sort=date').sort).toEqual([]);
});

it('begins at the first page after any change but a turn of the page', () => {
  expect(changed('page=3&size=50', { sort: '-usages' })).toBe('size=50&sort=-usages');
  expect(changed('page=3&size=50', { page: '4' })).toBe('page=4&size=50');
  expect(changed('coupons=7', { coupons: '' })).toBe('');
});
