// The state of a list is in its URL: filters, search, sort order, page and page size under short names. The last state is used only
// for a URL without parameters. The functions are pure, except for those at the end that store the last state.
import type { Sort, TableQuery } from '@/api/table';
import { DEFAULT_SIZE, filterName, type List, PAGE_SIZES } from './listDefinition';

export interface TableState {
  search: string;
  filters: Readonly<Record<string, string>>;
  sort: readonly Sort[];
  page: number;
  size: number;
  /** The list's default page size, when it differs from `DEFAULT_SIZE`. */
  defaultSize?: number;
}

const RESERVED = new Set(['q', 'search', 'sort', 'page', 'size', 'view', 'open']);

// biome-ignore lint/suspicious/noExplicitAny: a list of any rows has a state.
type AnyList = List<any>;

/** Parses a URL query. Unknown names are ignored; the server validates the values. */
export function readState(list: AnyList, search: string): TableState {
  const parameters = new URLSearchParams(search);
  const knownNames = new Set([
    ...list.columns.map(filterName),
    ...(list.parameters ?? []),
    ...Object.keys(list.hiddenFilters ?? {}),
  ]);
  const filters: Record<string, string> = {};
  for (const [name, value] of parameters)
    if (knownNames.has(name) && value && !RESERVED.has(name)) filters[name] = value;
  const size = Number(parameters.get('size'));
  return {
    // Links from other pages use `search`.
    search: parameters.get('q') ?? parameters.get('search') ?? '',
    filters,
    sort: parseSort(list, parameters.get('sort')),
    page: Math.max(1, Math.trunc(Number(parameters.get('page'))) || 1),
    size: pageSizes(list.pageSize).find((allowed) => allowed === size) ?? list.pageSize ?? DEFAULT_SIZE,
    ...(list.pageSize ? { defaultSize: list.pageSize } : {}),
  };
}

/** The page sizes that a list offers. */
export function pageSizes(defaultSize: number = DEFAULT_SIZE): readonly number[] {
  return [...new Set([...PAGE_SIZES, defaultSize])].sort((a, b) => a - b);
}

function parseSort(list: AnyList, text: string | null): readonly Sort[] {
  const sortable = new Set(
    list.columns.filter((column) => column.sortable !== false && !column.filterOnly).map((column) => column.name),
  );
  return (text ?? '')
    .split(',')
    .map((part) => ({ column: part.replace(/^-/, ''), descending: part.startsWith('-') }))
    .filter((sort) => sortable.has(sort.column));
}

/** Formats a URL query; default values are omitted. */
export function writeState(state: TableState): string {
  const parameters = new URLSearchParams();
  if (state.search) parameters.set('q', state.search);
  for (const [name, value] of Object.entries(state.filters)) if (value) parameters.set(name, value);
  if (state.sort.length > 0)
    parameters.set('sort', state.sort.map((sort) => (sort.descending ? '-' : '') + sort.column).join(','));
  if (state.page > 1) parameters.set('page', String(state.page));
  if (state.size !== (state.defaultSize ?? DEFAULT_SIZE)) parameters.set('size', String(state.size));
  return parameters.toString();
}

/** The id of the record in the side panel, if any. Another page or filter closes it. */
export function openRecordId(search: string): number | null {
  const id = Number(new URLSearchParams(search).get('open'));
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** The URL query with another record open, or none. */
export function withOpenRecord(state: TableState, id: number | null): string {
  const parameters = new URLSearchParams(writeState(state));
  if (id !== null) parameters.set('open', String(id));
  return parameters.toString();
}

/** The query to send to the server. */
export function toTableQuery(list: AnyList, state: TableState): TableQuery {
  const parameterNames = new Set(list.parameters ?? []);
  const filters = (areParameters: boolean) =>
    Object.fromEntries(Object.entries(state.filters).filter(([name]) => parameterNames.has(name) === areParameters));
  const sort = state.sort.length > 0 ? state.sort : list.sort ? [list.sort] : [];
  const fixed = (areParameters: boolean) =>
    Object.fromEntries(
      Object.entries(list.fixedFilters ?? {}).filter(([name]) => parameterNames.has(name) === areParameters),
    );
  return {
    search: state.search,
    filters: { ...filters(false), ...fixed(false) },
    parameters: { ...filters(true), ...fixed(true) },
    sort,
  };
}

/**
 * The sort order after a click on a heading: ascending, descending, default. With `isAdditional` other columns keep their order.
 */
export function nextSort(sort: readonly Sort[], column: string, isAdditional: boolean): readonly Sort[] {
  const current = sort.find((one) => one.column === column);
  const others = isAdditional ? sort.filter((one) => one.column !== column) : [];
  if (!current) return [...others, { column, descending: false }];
  return current.descending ? others : [...others, { column, descending: true }];
}

const key = (list: AnyList) => `panel.list.${list.name}`;

/** The last filters of each list, in memory: until the page is closed or the user signs out. */
const lastQueries = new Map<string, string>();

/** Clears the filters in memory when the session ends. */
export const clearRemembered = (): void => lastQueries.clear();

/**
 * Remembers filters and sort order, but not the page. The browser's storage gets only the sort order and the default filters,
 * because other filters may contain personal data of a customer.
 */
export function rememberState(list: AnyList, state: TableState): void {
  if (list.fixedFilters) return;
  lastQueries.set(key(list), writeState({ ...state, page: 1 }));
  const isDefault = ([name, value]: [string, string]) => list.defaults?.[name] === value;
  const filters = Object.fromEntries(Object.entries(state.filters).filter(isDefault));
  localStorage.setItem(key(list), writeState({ ...state, search: '', filters, page: 1 }));
}

/** The query for a URL without parameters: the last state, or the list's defaults on the first visit. */
export function rememberedState(list: AnyList): string {
  if (list.fixedFilters) return '';
  const stored = localStorage.getItem(key(list));
  if (stored === null) return new URLSearchParams(list.defaults ?? {}).toString();
  return lastQueries.get(key(list)) ?? stored;
}
