// A list's state is its address: filters, search, order, page and size under short names. What was used last only
// fills an address that says nothing. Pure but for what is remembered at the end.
import type { Sort, TableQuery } from '@/api/table';
import { DEFAULT_SIZE, filterName, type List, PAGE_SIZES } from './declare';

export interface TableState {
  search: string;
  filters: Readonly<Record<string, string>>;
  sort: readonly Sort[];
  page: number;
  size: number;
  /** The list's own size of a page, where it has one. */
  usual?: number;
}

const OWN = new Set(['q', 'search', 'sort', 'page', 'size', 'view', 'open']);

// biome-ignore lint/suspicious/noExplicitAny: a list of any rows has a state.
type AnyList = List<any>;

/** Reads an address. What it cannot know it leaves out; the server judges the values. */
export function read(list: AnyList, address: string): TableState {
  const said = new URLSearchParams(address);
  const known = new Set([...list.columns.map(filterName), ...(list.plain ?? []), ...Object.keys(list.searched ?? {})]);
  const filters: Record<string, string> = {};
  for (const [name, value] of said) if (known.has(name) && value && !OWN.has(name)) filters[name] = value;
  const size = Number(said.get('size'));
  return {
    // Links from elsewhere say `search`.
    search: said.get('q') ?? said.get('search') ?? '',
    filters,
    sort: sorts(list, said.get('sort')),
    page: Math.max(1, Math.trunc(Number(said.get('page'))) || 1),
    size: sizesOf(list.size).find((known) => known === size) ?? list.size ?? DEFAULT_SIZE,
    ...(list.size ? { usual: list.size } : {}),
  };
}

/** What a page may hold. */
export function sizesOf(usual: number = DEFAULT_SIZE): readonly number[] {
  return [...new Set([...PAGE_SIZES, usual])].sort((a, b) => a - b);
}

function sorts(list: AnyList, text: string | null): readonly Sort[] {
  const sortable = new Set(
    list.columns.filter((column) => column.sortable !== false && !column.filterOnly).map((column) => column.name),
  );
  return (text ?? '')
    .split(',')
    .map((part) => ({ column: part.replace(/^-/, ''), descending: part.startsWith('-') }))
    .filter((sort) => sortable.has(sort.column));
}

/** Writes it; what is as usual is left out. */
export function write(state: TableState): string {
  const said = new URLSearchParams();
  if (state.search) said.set('q', state.search);
  for (const [name, value] of Object.entries(state.filters)) if (value) said.set(name, value);
  if (state.sort.length > 0)
    said.set('sort', state.sort.map((sort) => (sort.descending ? '-' : '') + sort.column).join(','));
  if (state.page > 1) said.set('page', String(state.page));
  if (state.size !== (state.usual ?? DEFAULT_SIZE)) said.set('size', String(state.size));
  return said.toString();
}

/** The record that is open beside the list, if any. It belongs to the page: another page or filter closes it. */
export function opened(address: string): number | null {
  const id = Number(new URLSearchParams(address).get('open'));
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** The address with another record open, or none. */
export function withOpened(state: TableState, id: number | null): string {
  const said = new URLSearchParams(write(state));
  if (id !== null) said.set('open', String(id));
  return said.toString();
}

/** What the server is asked for. */
export function queryOf(list: AnyList, state: TableState): TableQuery {
  const plainNames = new Set(list.plain ?? []);
  const of = (wanted: boolean) =>
    Object.fromEntries(Object.entries(state.filters).filter(([name]) => plainNames.has(name) === wanted));
  const sort = state.sort.length > 0 ? state.sort : list.sort ? [list.sort] : [];
  const fixed = (wanted: boolean) =>
    Object.fromEntries(Object.entries(list.fixed ?? {}).filter(([name]) => plainNames.has(name) === wanted));
  return {
    search: state.search,
    filters: { ...of(false), ...fixed(false) },
    plain: { ...of(true), ...fixed(true) },
    sort,
  };
}

/** The next order when a heading is pressed: up, down, as usual. With `more` it joins the others. */
export function sorted(sort: readonly Sort[], column: string, more: boolean): readonly Sort[] {
  const now = sort.find((one) => one.column === column);
  const others = more ? sort.filter((one) => one.column !== column) : [];
  if (!now) return [...others, { column, descending: false }];
  return now.descending ? others : [...others, { column, descending: true }];
}

const key = (list: AnyList) => `panel.list.${list.name}`;

/** What each list was filtered by, as long as the page lives and the same person is signed in. */
const used = new Map<string, string>();

/** Forgets what was searched for, when the session ends. */
export const forgetUsed = (): void => used.clear();

/**
 * Remembers the filters and the order, but no page: page 7 of another selection is of no use. The browser keeps
 * only the order and the list's own filters: typed filters may name a customer.
 */
export function remember(list: AnyList, state: TableState): void {
  if (list.fixed) return;
  used.set(key(list), write({ ...state, page: 1 }));
  const isOwn = ([name, value]: [string, string]) => list.defaults?.[name] === value;
  const filters = Object.fromEntries(Object.entries(state.filters).filter(isOwn));
  localStorage.setItem(key(list), write({ ...state, search: '', filters, page: 1 }));
}

/** What an empty address means: what was used last, or at the first visit the list's defaults. */
export function remembered(list: AnyList): string {
  if (list.fixed) return '';
  const stored = localStorage.getItem(key(list));
  if (stored === null) return new URLSearchParams(list.defaults ?? {}).toString();
  return used.get(key(list)) ?? stored;
}
