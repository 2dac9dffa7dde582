// Parses and formats the state of a list, which its URL contains: filters, search, sort order, page and page size. The functions at
// the end save the last state of a list, which applies to URLs without parameters.
import type { Sort, TableQuery } from '@/api/table';
import { DEFAULT_PAGE_SIZE, getFilterName, type List, PAGE_SIZES } from './listDefinition';

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

// biome-ignore lint/suspicious/noExplicitAny: the state of a list does not depend on the type of its rows.
type AnyList = List<any>;

/** Parses a URL query. Ignores unknown names; the server validates the values. */
export function parseState(list: AnyList, urlQuery: string): TableState {
  const parameters = new URLSearchParams(urlQuery);
  const knownNames = new Set([
    ...list.columns.map(getFilterName),
    ...(list.parameters ?? []),
    ...Object.keys(list.hiddenFilters ?? {}),
  ]);
  const filters: Record<string, string> = {};
  for (const [name, value] of parameters)
    if (knownNames.has(name) && value && !RESERVED_PARAMETERS.has(name)) filters[name] = value;
  const size = Number(parameters.get('size'));
  return {
    // Links from other pages use the parameter `search`.
    search: parameters.get('q') ?? parameters.get('search') ?? '',
    filters,
    sort: parseSort(list, parameters.get('sort')),
    page: Math.max(1, Math.trunc(Number(parameters.get('page'))) || 1),
    size: getPageSizes(list.pageSize).find((pageSize) => pageSize === size) ?? list.pageSize ?? DEFAULT_PAGE_SIZE,
    ...(list.pageSize ? { defaultSize: list.pageSize } : {}),
  };
}

/** Returns the page sizes that a list offers. */
export function getPageSizes(defaultSize: number = DEFAULT_PAGE_SIZE): readonly number[] {
  return [...new Set([...PAGE_SIZES, defaultSize])].sort((a, b) => a - b);
}

function parseSort(list: AnyList, text: string | null): readonly Sort[] {
  const sortableNames = new Set(
    list.columns.filter((column) => column.sortable !== false && !column.filterOnly).map((column) => column.name),
  );
  return (text ?? '')
    .split(',')
    .map((part) => ({ column: part.replace(/^-/, ''), descending: part.startsWith('-') }))
    .filter((sort) => sortableNames.has(sort.column));
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

/** Returns the id of the record in the side panel, or null. Links to another page or filter lack this id, so they close the side panel. */
export function parsePreviewedId(urlQuery: string): number | null {
  const id = Number(new URLSearchParams(urlQuery).get('open'));
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Formats the state as a URL query with the record `id` in the side panel. Null closes the side panel. */
export function formatStateWithPreview(state: TableState, id: number | null): string {
  const parameters = new URLSearchParams(formatState(state));
  if (id !== null) parameters.set('open', String(id));
  return parameters.toString();
}

/** Returns the query for the server. */
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
 * Returns the sort order after a click on a heading: ascending, then descending, then the default. With `isAdditional`, the list
 * also stays sorted by the other columns.
 */
export function getNextSort(sort: readonly Sort[], column: string, isAdditional: boolean): readonly Sort[] {
  const currentSort = sort.find((entry) => entry.column === column);
  const otherSorts = isAdditional ? sort.filter((entry) => entry.column !== column) : [];
  if (!currentSort) return [...otherSorts, { column, descending: false }];
  return currentSort.descending ? otherSorts : [...otherSorts, { column, descending: true }];
}

const getStorageKey = (list: AnyList) => `panel.list.${list.name}`;

/** The last query of each list. It is stored only in memory, and is lost when the user closes the page or signs out. */
const lastQueries = new Map<string, string>();

/** Deletes the last queries from memory. Called when the session ends. */
export const clearSavedQueries = (): void => lastQueries.clear();

/**
 * Saves filters and sort order, but not the page. The browser's storage receives only the sort order and the default filters,
 * because other filters may contain personal data of a customer.
 */
export function saveListState(list: AnyList, state: TableState): void {
  if (list.fixedFilters) return;
  lastQueries.set(getStorageKey(list), formatState({ ...state, page: 1 }));
  const isDefaultFilter = ([name, value]: [string, string]) => list.defaultFilters?.[name] === value;
  const filters = Object.fromEntries(Object.entries(state.filters).filter(isDefaultFilter));
  localStorage.setItem(getStorageKey(list), formatState({ ...state, search: '', filters, page: 1 }));
}

/** Returns the query for a URL without parameters: the last state of the list, or its default filters on the first visit. */
export function getLastQuery(list: AnyList): string {
  if (list.fixedFilters) return '';
  const storedQuery = localStorage.getItem(getStorageKey(list));
  if (storedQuery === null) return new URLSearchParams(list.defaultFilters ?? {}).toString();
  return lastQueries.get(getStorageKey(list)) ?? storedQuery;
}
