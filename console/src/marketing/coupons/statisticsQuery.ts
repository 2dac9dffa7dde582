// The query of the coupon statistics: parsed from the search string of the URL, and converted to the request body.
import type { Schemas } from '@/api/client';
import { CouponSort } from '@/api/enums';
import type { Sort } from '@/api/table';
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '@/table/listDefinition';
import { parseRange } from '@/table/TimeFilter';

export const GROUPINGS = ['coupon', 'date', 'both'] as const;

export interface StatisticsQuery {
  grouping: (typeof GROUPINGS)[number];
  /** Dates as `from..to`; empty for the last 30 days. */
  dates: string;
  /** Coupon ids, separated by commas. */
  coupons: string;
  /** User ids of referral managers, separated by commas. */
  affiliates: string;
  sort: readonly Sort[];
  page: number;
  size: number;
}

/** The columns by which the server can sort each grouping. */
const SORTABLE_COLUMNS: Readonly<Record<StatisticsQuery['grouping'], readonly string[]>> = {
  coupon: CouponSort.filter((column) => column !== 'date'),
  date: CouponSort.filter((column) => column !== 'name'),
  both: CouponSort,
};

/** Removes every part of a comma-separated list that is not an id of at most 15 digits. */
export const keepOnlyIds = (value: string) =>
  value
    .split(',')
    .filter((part) => /^\d{1,15}$/.test(part))
    .join(',');

/** Parses a search string. Invalid values are replaced by the defaults. */
export function parseStatisticsQuery(search: string): StatisticsQuery {
  const params = new URLSearchParams(search);
  const grouping = GROUPINGS.find((grouping) => grouping === params.get('by')) ?? 'coupon';
  const sort = params.get('sort') ?? '';
  const column = sort.replace(/^-/, '');
  const requestedSize = Number(params.get('size'));
  return {
    grouping,
    dates: params.get('dates') ?? '',
    coupons: keepOnlyIds(params.get('coupons') ?? ''),
    affiliates: keepOnlyIds(params.get('affiliates') ?? ''),
    sort: SORTABLE_COLUMNS[grouping].includes(column) ? [{ column, descending: sort.startsWith('-') }] : [],
    page: Math.max(1, Math.trunc(Number(params.get('page'))) || 1),
    size: PAGE_SIZES.find((size) => size === requestedSize) ?? DEFAULT_PAGE_SIZE,
  };
}

/**
 * Changes parameters of a search string. An empty value removes the parameter. The page is reset to the first page unless
 * `changes` contains `page`.
 */
export function updateSearch(search: string, changes: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries({ page: '', ...changes })) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  return params.toString();
}

const toSortParameter = ({ column }: Sort) => CouponSort.find((sortable) => sortable === column) ?? null;

export function buildStatisticsRequest(query: StatisticsQuery): Schemas['CouponStatisticsInput'] {
  const [from, to] = parseRange(query.dates);
  const [sort] = query.sort;
  const toIds = (value: string) => value.split(',').map(Number);
  return {
    ...(from ? { start_date: from } : {}),
    ...(to ? { end_date: to } : {}),
    ...(query.coupons ? { coupons: toIds(query.coupons) } : {}),
    ...(query.affiliates ? { affiliates: toIds(query.affiliates) } : {}),
    // The server groups by date and, only if requested, also by coupon.
    ...(query.grouping === 'both' ? { grouping: 'coupon' as const } : {}),
    ...(sort ? { sort: toSortParameter(sort), descending: sort.descending } : {}),
    start: (query.page - 1) * query.size,
    length: query.size,
  };
}
