// The client of the DataTables protocol: fetches pages, ids and exports of a list. This module must not depend on a screen.
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

/** Maximum number of ids in one response, and in one bulk request. */
export const MAX_IDS = 10_000;

/** Returns the columns that a query uses. The protocol refers to these columns by their index. */
const getQueryColumns = (query: TableQuery) => [
  ...new Set([...Object.keys(query.filters), ...query.sort.map((sort) => sort.column)]),
];

/** Converts field errors to errors by filter name. The server refers to columns by their index, such as `columns.0.search`. */
export function getFilterErrors(query: TableQuery, fields: Problem['fields']): Problem['fields'] {
  const columns = getQueryColumns(query);
  const errorsByFilter = Object.entries(fields).map(([field, messages]) => {
    const index = /^columns\.(\d+)\.search$/.exec(field)?.[1];
    return [index === undefined ? field : columns[Number(index)], messages] as const;
  });
  return Object.fromEntries(errorsByFilter.filter(([name]) => name !== undefined));
}

/** Creates the query parameters of the DataTables protocol for a query. */
export function createTableParameters(query: TableQuery): URLSearchParams {
  const columns = getQueryColumns(query);
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
  const parameters = createTableParameters(query);
  parameters.set('start', String(start));
  parameters.set('length', String(length));
  return (await get(`${path}?${parameters}`, signal ? { signal } : {})).json();
}

/** Fetches the first `length` rows of a list, such as the options of a picker. Fetches all rows if `length` is -1. */
export async function fetchRows<Row>(
  { path }: { readonly path: string; readonly row?: Row },
  length: number,
  signal?: AbortSignal,
  overrides: Partial<TableQuery> = {},
): Promise<readonly Row[]> {
  const query = { search: '', filters: {}, parameters: {}, sort: [], ...overrides };
  return (await fetchPage<Row>(path, query, 0, length, signal)).data;
}

/** Fetches the ids of all matching records, or only the ids of the newest `limit` records. */
export async function fetchIds(
  path: string,
  query: TableQuery,
  signal?: AbortSignal,
  limit = Infinity,
): Promise<number[]> {
  const parameters = createTableParameters({ ...query, sort: [] });
  parameters.set('ids_only', '1');
  const ids: number[] = [];
  for (;;) {
    const body: { ids: number[] } = await (await get(`${path}?${parameters}`, signal ? { signal } : {})).json();
    ids.push(...body.ids);
    const lastId = body.ids.at(-1);
    if (ids.length >= limit) return ids.slice(0, limit);
    if (body.ids.length < MAX_IDS || lastId === undefined) return ids;
    parameters.set('after', String(lastId));
  }
}

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
  const parameters = createTableParameters(query);
  parameters.set('export_columns', columns.join(','));
  return (await get(`${path}?${parameters}`, { accept: EXPORT_MEDIA_TYPES[format], signal })).blob();
}
