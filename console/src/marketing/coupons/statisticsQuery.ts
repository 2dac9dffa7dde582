// Parses the query of the coupon statistics from the URL, and converts it to the request body.
import type { Schemas } from '@/api/client';
import { CouponSort } from '@/api/enums';
import type { Sort } from '@/api/table';
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '@/table/listDefinition';
import { parseDayRange } from '@/table/TimeFilter';

export const GROUPINGS = ['coupon', 'date', 'both'] as const;

export interface StatisticsQuery {
  grouping: (typeof GROUPINGS)[number];
  /** Dates in the format `from..to`. Empty for the last 30 days. */
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

/** Parses the query of a URL. Uses the default instead of an invalid value. */
export function parseStatisticsQuery(urlQuery: string): StatisticsQuery {
  const params = new URLSearchParams(urlQuery);
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
 * Changes parameters of a URL query. An empty value removes the parameter. Unless `changes` contains `page`, the page becomes the first
 * page.
 */
export function updateUrlQuery(urlQuery: string, changes: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams(urlQuery);
  for (const [name, value] of Object.entries({ page: '', ...changes })) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  return params.toString();
}

const toSortParameter = ({ column }: Sort) => CouponSort.find((sortable) => sortable === column) ?? null;

export function buildStatisticsRequest(query: StatisticsQuery): Schemas['CouponStatisticsInput'] {
  const [from, to] = parseDayRange(query.dates);
  const [sort] = query.sort;
  const toIds = (value: string) => value.split(',').map(Number);
  return {
    ...(from ? { start_date: from } : {}),
    ...(to ? { end_date: to } : {}),
    ...(query.coupons ? { coupons: toIds(query.coupons) } : {}),
    ...(query.affiliates ? { affiliates: toIds(query.affiliates) } : {}),
    // The endpoint always groups by date. With `grouping`, it also groups by coupon.
    ...(query.grouping === 'both' ? { grouping: 'coupon' as const } : {}),
    ...(sort ? { sort: toSortParameter(sort), descending: sort.descending } : {}),
    start: (query.page - 1) * query.size,
    length: query.size,
  };
}
