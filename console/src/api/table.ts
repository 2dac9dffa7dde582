// The client side of the DataTables server-side protocol: fetches pages, ids and exports of a list. It must not depend on a screen.
import { get } from './client';
import type { Problem } from './problem';

/** The query of a list: the global search, filters by column, additional parameters and the sort order. */
export interface TableQuery {
  search: string;
  filters: Readonly<Record<string, string>>;
  parameters: Readonly<Record<string, string>>;
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

/** The largest number of ids in one response, and in one bulk call. */
export const MAX_IDS = 10_000;

/** The columns that a query uses; the protocol refers to them by their index. */
const queryColumns = (query: TableQuery) => [
  ...new Set([...Object.keys(query.filters), ...query.sort.map((sort) => sort.column)]),
];

/** Field errors by filter name. The server refers to columns by their index, such as `columns.0.search`. */
export function filterErrors(query: TableQuery, fields: Problem['fields']): Problem['fields'] {
  const columns = queryColumns(query);
  const errorsByFilter = Object.entries(fields).map(([field, messages]) => {
    const index = /^columns\.(\d+)\.search$/.exec(field)?.[1];
    return [index === undefined ? field : columns[Number(index)], messages] as const;
  });
  return Object.fromEntries(errorsByFilter.filter(([name]) => name !== undefined));
}

/** The query parameters of the DataTables protocol for a table query. */
export function tableParameters(query: TableQuery): URLSearchParams {
  const columns = queryColumns(query);
  const parameters = new URLSearchParams();
  columns.forEach((name, index) => {
    parameters.set(`columns[${index}][data]`, name);
    const search = query.filters[name];
    if (search) parameters.set(`columns[${index}][search][value]`, search);
  });
  query.sort.forEach((sort, index) => {
    parameters.set(`order[${index}][column]`, String(columns.indexOf(sort.column)));
    parameters.set(`order[${index}][dir]`, sort.descending ? 'desc' : 'asc');
  });
  if (query.search) parameters.set('search[value]', query.search);
  for (const [name, value] of Object.entries(query.parameters)) parameters.set(name, value);
  return parameters;
}

export async function fetchPage<Row>(
  path: string,
  query: TableQuery,
  start: number,
  length: number,
  signal?: AbortSignal,
): Promise<Page<Row>> {
  const parameters = tableParameters(query);
  parameters.set('start', String(start));
  parameters.set('length', String(length));
  return (await get(`${path}?${parameters}`, signal ? { signal } : {})).json();
}

/** The first `length` rows of a list, such as the options of a picker; ids rows when `length` is -1. */
export async function fetchRows<Row>(
  { path }: { readonly path: string; readonly row?: Row },
  length: number,
  signal?: AbortSignal,
  overrides: Partial<TableQuery> = {},
): Promise<readonly Row[]> {
  const query = { search: '', filters: {}, parameters: {}, sort: [], ...overrides };
  return (await fetchPage<Row>(path, query, 0, length, signal)).data;
}

/** A snapshot of the ids of all matching records, or of the newest `limit` of them. */
export async function fetchIds(
  path: string,
  query: TableQuery,
  signal?: AbortSignal,
  limit = Infinity,
): Promise<number[]> {
  const parameters = tableParameters({ ...query, sort: [] });
  parameters.set('ids_only', '1');
  const ids: number[] = [];
  for (;;) {
    const body: { ids: number[] } = await (await get(`${path}?${parameters}`, signal ? { signal } : {})).json();
    ids.push(...body.ids);
    const last = body.ids.at(-1);
    if (ids.length >= limit) return ids.slice(0, limit);
    if (body.ids.length < MAX_IDS || last === undefined) return ids;
    parameters.set('after', String(last));
  }
}

/** Export formats and their media types. */
export const EXPORT_MEDIA_TYPES = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

export type ExportFormat = keyof typeof EXPORT_MEDIA_TYPES;

/** Downloads every row that matches the query, with the given columns. The server streams the file. */
export async function exportRows(
  path: string,
  query: TableQuery,
  columns: readonly string[],
  format: ExportFormat,
  signal: AbortSignal,
): Promise<Blob> {
  const parameters = tableParameters(query);
  parameters.set('export_columns', columns.join(','));
  return (await get(`${path}?${parameters}`, { accept: EXPORT_MEDIA_TYPES[format], signal })).blob();
}
