// What the coupon statistics are asked for: read from the address of the screen, and written as the body of the request.
import type { Schemas } from '@/api/client';
import type { Sort } from '@/api/table';
import { CouponSort } from '@/api/words';
import { DEFAULT_SIZE, PAGE_SIZES } from '@/table/listDefinition';
import { parseRange } from '@/table/TimeFilter';

export const GROUPS = ['coupon', 'date', 'both'] as const;

export interface Asked {
  group: (typeof GROUPS)[number];
  /** Days as `from..to`; empty for the last 30. */
  dates: string;
  /** Ids by commas. */
  coupons: string;
  affiliates: string;
  sort: readonly Sort[];
  page: number;
  size: number;
}

/** What each group can be sorted by: its columns that the server sorts. */
const SORTS: Readonly<Record<Asked['group'], readonly string[]>> = {
  coupon: CouponSort.filter((word) => word !== 'date'),
  date: CouponSort.filter((word) => word !== 'name'),
  both: CouponSort,
};

/** The ids among values by commas. */
export const idsIn = (value: string) =>
  value
    .split(',')
    .filter((part) => /^\d{1,15}$/.test(part))
    .join(',');

export function read(address: string): Asked {
  const said = new URLSearchParams(address);
  const group = GROUPS.find((group) => group === said.get('by')) ?? 'coupon';
  const order = said.get('sort') ?? '';
  const column = order.replace(/^-/, '');
  const size = Number(said.get('size'));
  return {
    group,
    dates: said.get('dates') ?? '',
    coupons: idsIn(said.get('coupons') ?? ''),
    affiliates: idsIn(said.get('affiliates') ?? ''),
    sort: SORTS[group].includes(column) ? [{ column, descending: order.startsWith('-') }] : [],
    page: Math.max(1, Math.trunc(Number(said.get('page'))) || 1),
    size: PAGE_SIZES.find((known) => known === size) ?? DEFAULT_SIZE,
  };
}

/** The address with some of its parameters changed; an empty value takes one away. Any change but a turn of the page
 *  begins at the first page. */
export function changed(address: string, change: Readonly<Record<string, string>>): string {
  const said = new URLSearchParams(address);
  for (const [name, value] of Object.entries({ page: '', ...change })) {
    if (value) said.set(name, value);
    else said.delete(name);
  }
  return said.toString();
}

const sortOf = ({ column }: Sort) => CouponSort.find((word) => word === column) ?? null;

export function body(asked: Asked): Schemas['CouponStatisticsInput'] {
  const [from, to] = parseRange(asked.dates);
  const [sort] = asked.sort;
  const ids = (value: string) => value.split(',').map(Number);
  return {
    ...(from ? { start_date: from } : {}),
    ...(to ? { end_date: to } : {}),
    ...(asked.coupons ? { coupons: ids(asked.coupons) } : {}),
    ...(asked.affiliates ? { affiliates: ids(asked.affiliates) } : {}),
    ...(asked.group === 'both' ? { grouping: 'coupon' as const } : {}),
    ...(sort ? { sort: sortOf(sort), descending: sort.descending } : {}),
    start: (asked.page - 1) * asked.size,
    length: asked.size,
  };
}
