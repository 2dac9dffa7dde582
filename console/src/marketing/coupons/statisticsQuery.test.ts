import { expect, it } from 'vitest';
import { buildStatisticsRequest, parseStatisticsQuery, updateUrlQuery } from './statisticsQuery';

it('parses the URL query, and ignores invalid values', () => {
  const query = parseStatisticsQuery(
    'by=both&coupons=3,x,5&affiliates=anna&sort=-spent&page=2&size=50&dates=2026-01-01..2026-01-31',
  );
  expect(buildStatisticsRequest(query)).toEqual({
    start_date: '2026-01-01',
    end_date: '2026-01-31',
    coupons: [3, 5],
    grouping: 'coupon',
    sort: 'spent',
    descending: true,
    start: 50,
    length: 50,
  });
  const invalidQuery = parseStatisticsQuery('size=7&page=-1&sort=code');
  expect(buildStatisticsRequest(invalidQuery)).toEqual({ start: 0, length: 30 });
});

it('sorts only by columns of the current grouping', () => {
  expect(parseStatisticsQuery('sort=name').sort).toEqual([{ column: 'name', descending: false }]);
  expect(parseStatisticsQuery('by=date&sort=name').sort).toEqual([]);
  expect(parseStatisticsQuery('by=date&sort=-date').sort).toEqual([{ column: 'date', descending: true }]);
  expect(parseStatisticsQuery('by=coupon&sort=date').sort).toEqual([]);
});

it('returns to the first page when any other parameter changes', () => {
  expect(updateUrlQuery('page=3&size=50', { sort: '-usages' })).toBe('size=50&sort=-usages');
  expect(updateUrlQuery('page=3&size=50', { page: '4' })).toBe('page=4&size=50');
  expect(updateUrlQuery('coupons=7', { coupons: '' })).toBe('');
});
