// Parses and formats the state of a list, which is in its URL: filters, search, sort order, page and page size. The functions at
// the end remember the last state of a list, for URLs without parameters.
import type { Sort, TableQuery } from '@/api/table';
import { DEFAULT_PAGE_SIZE, filterName, type List, PAGE_SIZES } from './listDefinition';

export interface TableState {
  search: string;
  filters: Readonly<Record<string, string>>;
  sort: readonly Sort[];
  page: number;
  size: number;
  /** The list's default page size, if it differs from `DEFAULT_PAGE_SIZE`. */
  defaultSize?: number;
}

const RESERVED_PARAMETERS = new Set(['q', 'search', 'sort', 'page', 'size', 'view', 'open']);

// biome-ignore lint/suspicious/noExplicitAny: a list of any rows has a state.
type AnyList = List<any>;

/** Parses a URL query. Ignores unknown names; the server validates the values. */
export function parseState(list: AnyList, search: string): TableState {
  const parameters = new URLSearchParams(search);
  const knownNames = new Set([
    ...list.columns.map(filterName),
    ...(list.parameters ?? []),
    ...Object.keys(list.hiddenFilters ?? {}),
  ]);
  const filters: Record<string, string> = {};
  for (const [name, value] of parameters)
    if (knownNames.has(name) && value && !RESERVED_PARAMETERS.has(name)) filters[name] = value;
  const size = Number(parameters.get('size'));
  return {
    // Links from other pages use `search`.
    search: parameters.get('q') ?? parameters.get('search') ?? '',
    filters,
    sort: parseSort(list, parameters.get('sort')),
    page: Math.max(1, Math.trunc(Number(parameters.get('page'))) || 1),
    size: pageSizes(list.pageSize).find((pageSize) => pageSize === size) ?? list.pageSize ?? DEFAULT_PAGE_SIZE,
    ...(list.pageSize ? { defaultSize: list.pageSize } : {}),
  };
}

/** The page sizes that a list offers. */
export function pageSizes(defaultSize: number = DEFAULT_PAGE_SIZE): readonly number[] {
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

/** Formats the state as a URL query, without default values. */
export function formatState(state: TableState): string {
  const parameters = new URLSearchParams();
  if (state.search) parameters.set('q', state.search);
  for (const [name, value] of Object.entries(state.filters)) if (value) parameters.set(name, value);
  if (state.sort.length > 0)
    parameters.set('sort', state.sort.map((sort) => (sort.descending ? '-' : '') + sort.column).join(','));
  if (state.page > 1) parameters.set('page', String(state.page));
  if (state.size !== (state.defaultSize ?? DEFAULT_PAGE_SIZE)) parameters.set('size', String(state.size));
  return parameters.toString();
}

/** The id of the record in the side panel, or null. A link to another page or filter does not have it, so the panel closes. */
export function parseOpenRecordId(search: string): number | null {
  const id = Number(new URLSearchParams(search).get('open'));
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Formats the state as a URL query with the record `id` in the side panel; null closes the panel. */
export function formatStateWithOpenRecord(state: TableState, id: number | null): string {
  const parameters = new URLSearchParams(formatState(state));
  if (id !== null) parameters.set('open', String(id));
  return parameters.toString();
}

/** The query to send to the server. */
export function toTableQuery(list: AnyList, state: TableState): TableQuery {
  const parameterNames = new Set(list.parameters ?? []);
  const allFilters = Object.entries({ ...state.filters, ...list.fixedFilters });
  const sort = state.sort.length > 0 ? state.sort : list.sort ? [list.sort] : [];
  return {
    search: state.search,
    filters: Object.fromEntries(allFilters.filter(([name]) => !parameterNames.has(name))),
    parameters: Object.fromEntries(allFilters.filter(([name]) => parameterNames.has(name))),
    sort,
  };
}

/**
 * The sort order after a click on a heading: ascending, then descending, then the default. With `isAdditional` the list stays
 * sorted by other columns too.
 */
export function nextSort(sort: readonly Sort[], column: string, isAdditional: boolean): readonly Sort[] {
  const current = sort.find((entry) => entry.column === column);
  const others = isAdditional ? sort.filter((entry) => entry.column !== column) : [];
  if (!current) return [...others, { column, descending: false }];
  return current.descending ? others : [...others, { column, descending: true }];
}

const storageKey = (list: AnyList) => `panel.list.${list.name}`;

/** The last query of each list. Only in memory: it is lost when the page is closed or the user signs out. */
const lastQueries = new Map<string, string>();

/** Forgets the last queries when the session ends. */
export const clearRememberedQueries = (): void => lastQueries.clear();

/**
 * Remembers filters and sort order, but not the page. In the browser's storage it stores only the sort order and the default
 * filters, because other filters may contain personal data of a customer.
 */
export function rememberState(list: AnyList, state: TableState): void {
  if (list.fixedFilters) return;
  lastQueries.set(storageKey(list), formatState({ ...state, page: 1 }));
  const isDefault = ([name, value]: [string, string]) => list.defaultFilters?.[name] === value;
  const filters = Object.fromEntries(Object.entries(state.filters).filter(isDefault));
  localStorage.setItem(storageKey(list), formatState({ ...state, search: '', filters, page: 1 }));
}

/** The query for a URL without parameters: the last state, or the list's defaults on the first visit. */
export function rememberedQuery(list: AnyList): string {
  if (list.fixedFilters) return '';
  const storedQuery = localStorage.getItem(storageKey(list));
  if (storedQuery === null) return new URLSearchParams(list.defaultFilters ?? {}).toString();
  return lastQueries.get(storageKey(list)) ?? storedQuery;
}
