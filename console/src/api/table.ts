// The DataTables server-side protocol, from the asking side. Knows addresses, not screens.
import { get } from './client';
import type { Problem } from './problem';

/** What a list is asked for: by column, what is searched; plus the common search, plain filters and the order. */
export interface TableQuery {
  search: string;
  filters: Readonly<Record<string, string>>;
  plain: Readonly<Record<string, string>>;
  sort: readonly Sort[];
}

export interface Sort {
  column: string;
  descending: boolean;
}

export interface Page<Row> {
  recordsTotal: number;
  recordsFiltered: number;
  recordsFilteredIsAtLeast?: boolean;
  data: Row[];
}

/** Most ids that one answer holds, and most that one bulk call takes. */
export const MAX_IDS = 10_000;

/** The columns that a query names, in the order of their places in the protocol. */
const columnsOf = (query: TableQuery) => [
  ...new Set([...Object.keys(query.filters), ...query.sort.map((sort) => sort.column)]),
];

/** What the server refused of a query, by filter: it names columns by their places, such as `columns.0.search`. */
export function wrongFilters(query: TableQuery, fields: Problem['fields']): Problem['fields'] {
  const columns = columnsOf(query);
  const named = Object.entries(fields).map(([field, said]) => {
    const place = /^columns\.(\d+)\.search$/.exec(field)?.[1];
    return [place === undefined ? field : columns[Number(place)], said] as const;
  });
  return Object.fromEntries(named.filter(([name]) => name !== undefined));
}

/** The query as the protocol writes it. */
export function parameters(query: TableQuery): URLSearchParams {
  const asked = columnsOf(query);
  const parameters = new URLSearchParams();
  asked.forEach((name, at) => {
    parameters.set(`columns[${at}][data]`, name);
    const search = query.filters[name];
    if (search) parameters.set(`columns[${at}][search][value]`, search);
  });
  query.sort.forEach((sort, at) => {
    parameters.set(`order[${at}][column]`, String(asked.indexOf(sort.column)));
    parameters.set(`order[${at}][dir]`, sort.descending ? 'desc' : 'asc');
  });
  if (query.search) parameters.set('search[value]', query.search);
  for (const [name, value] of Object.entries(query.plain)) parameters.set(name, value);
  return parameters;
}

/** One page. */
export async function page<Row>(
  path: string,
  query: TableQuery,
  start: number,
  length: number,
  signal?: AbortSignal,
): Promise<Page<Row>> {
  const asked = parameters(query);
  asked.set('start', String(start));
  asked.set('length', String(length));
  return (await get(`${path}?${asked}`, signal ? { signal } : {})).json();
}

/** The first rows of a list that has no screen here, such as to choose from; every row where `length` is -1. */
export async function rowsOf<Row>(
  { path }: { readonly path: string; readonly row?: Row },
  length: number,
  signal?: AbortSignal,
  asked: Partial<TableQuery> = {},
): Promise<readonly Row[]> {
  const query = { search: '', filters: {}, plain: {}, sort: [], ...asked };
  return (await page<Row>(path, query, 0, length, signal)).data;
}

/** Every matching id, or the newest `most`, frozen now: what happens to the list afterwards does not change them. */
export async function ids(path: string, query: TableQuery, signal?: AbortSignal, most = Infinity): Promise<number[]> {
  const asked = parameters({ ...query, sort: [] });
  asked.set('ids_only', '1');
  const all: number[] = [];
  for (;;) {
    const answer: { ids: number[] } = await (await get(`${path}?${asked}`, signal ? { signal } : {})).json();
    all.push(...answer.ids);
    const last = answer.ids.at(-1);
    if (all.length >= most) return all.slice(0, most);
    if (answer.ids.length < MAX_IDS || last === undefined) return all;
    asked.set('after', String(last));
  }
}

/** The media types that a list can be exported as. */
export const EXPORTS = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

export type ExportKind = keyof typeof EXPORTS;

/** The whole filter as a file of the named columns; the server streams it. */
export async function exported(
  path: string,
  query: TableQuery,
  columns: readonly string[],
  kind: ExportKind,
  signal: AbortSignal,
): Promise<Blob> {
  const asked = parameters(query);
  asked.set('export_columns', columns.join(','));
  return (await get(`${path}?${asked}`, { accept: EXPORTS[kind], signal })).blob();
}
