import { beforeEach, describe, expect, it } from 'vitest';
import { type List, scopeToRecord } from './listDefinition';
import {
  clearRememberedQueries,
  formatState,
  formatStateWithOpenRecord,
  nextSort,
  pageSizes,
  parseOpenRecordId,
  parseState,
  rememberedQuery,
  rememberState,
  toTableQuery,
} from './state';

const LIST: List<{ id: number }> = {
  name: 'things',
  title: 'orders.title',
  path: '/things',
  columns: [
    { name: 'id', label: 'x', width: 1, cell: () => null },
    { name: 'user.name', filterName: 'user', label: 'x', width: 1, cell: () => null },
    { name: 'secret', label: 'x', width: 1, sortable: false, cell: () => null },
  ],
  parameters: ['drip_feed_id'],
  hiddenFilters: { 'user.id': 'x' },
  defaultFilters: { user: 'anna' },
};

describe('the URL of a list', () => {
  beforeEach(() => {
    localStorage.clear();
    clearRememberedQueries();
  });

  it('is parsed without unknown parameters', () => {
    const state = parseState(LIST, 'q=a+b&user=li&sort=-id,secret,nonsense&page=0&size=7&evil=1&drip_feed_id=4');
    expect(state).toEqual({
      search: 'a b',
      filters: { user: 'li', drip_feed_id: '4' },
      sort: [{ column: 'id', descending: true }],
      page: 1,
      size: 30,
    });
    expect(toTableQuery(LIST, state)).toEqual({
      search: 'a b',
      filters: { user: 'li' },
      parameters: { drip_feed_id: '4' },
      sort: [{ column: 'id', descending: true }],
    });
  });

  it('has 30 rows per page, or one of the offered page sizes', () => {
    expect([pageSizes(), pageSizes(15)]).toEqual([
      [10, 20, 30, 50, 100],
      [10, 15, 20, 30, 50, 100],
    ]);
    const size = (list: typeof LIST, query: string) => parseState(list, query).size;
    expect([size(LIST, ''), size(LIST, 'size=50'), size(LIST, 'size=15'), size(LIST, 'size=1000')]).toEqual([
      30, 50, 30, 30,
    ]);
    const listWithPageSize = { ...LIST, pageSize: 15 };
    expect([size(listWithPageSize, ''), size(listWithPageSize, 'size=10'), size(listWithPageSize, 'size=30')]).toEqual([
      15, 10, 30,
    ]);
  });

  it('accepts the search parameter of links from other pages', () => {
    expect(parseState(LIST, 'search=INV-7').search).toBe('INV-7');
    expect(parseState(LIST, 'search=INV-7&q=mine').search).toBe('mine');
    expect(formatState(parseState(LIST, 'search=INV-7'))).toBe('q=INV-7');
  });

  it('omits default values, and round-trips', () => {
    expect(formatState(parseState(LIST, ''))).toBe('');
    const query = 'q=%C3%BC%26%3D&user=a%2Cb&sort=id%2C-user.name&page=12&size=100';
    expect(formatState(parseState(LIST, query))).toBe(query);
    expect(parseState(LIST, formatState(parseState(LIST, query)))).toEqual(parseState(LIST, query));
  });

  it('filters by parameters without a column, and keeps the filter of its record', () => {
    expect(toTableQuery(LIST, parseState(LIST, 'user.id=7')).filters).toEqual({ 'user.id': '7' });
    const list = scopeToRecord(LIST, { 'user.id': '9' });
    expect(list.columns.map((column) => column.name)).toEqual(['id', 'secret']);
    expect(toTableQuery(list, parseState(list, 'user.id=7')).filters).toEqual({ 'user.id': '9' });
    rememberState(list, parseState(list, 'id=5'));
    expect([rememberedQuery(list), rememberedQuery(LIST)]).toEqual(['', 'user=anna']);
  });

  it('is remembered without the page, and has the default filters on the first visit', () => {
    expect(rememberedQuery(LIST)).toBe('user=anna');
    rememberState(LIST, parseState(LIST, 'q=x&page=7'));
    expect(rememberedQuery(LIST)).toBe('q=x');
    rememberState(LIST, parseState(LIST, ''));
    expect(rememberedQuery(LIST)).toBe('');
  });

  it('stores no search and no filter in the browser', () => {
    rememberState(LIST, parseState(LIST, 'q=anna@example.com&user=li&sort=-id&size=50'));
    expect(JSON.stringify({ ...localStorage })).not.toMatch(/anna|li\b|user=/);
    expect(rememberedQuery(LIST)).toBe('q=anna%40example.com&user=li&sort=-id&size=50');
    clearRememberedQueries();
    expect(rememberedQuery(LIST)).toBe('sort=-id&size=50');
    // The default filter is stored, because it is not personal data.
    rememberState(LIST, parseState(LIST, 'user=anna'));
    clearRememberedQueries();
    expect(rememberedQuery(LIST)).toBe('user=anna');
  });

  it('sorts ascending, descending, by default, and by several columns', () => {
    const ascending = nextSort([], 'id', false);
    const descending = nextSort(ascending, 'id', false);
    expect([ascending, descending, nextSort(descending, 'id', false)]).toEqual([
      [{ column: 'id', descending: false }],
      [{ column: 'id', descending: true }],
      [],
    ]);
    expect(nextSort(descending, 'user.name', true)).toEqual([
      { column: 'id', descending: true },
      { column: 'user.name', descending: false },
    ]);
    expect(nextSort(descending, 'user.name', false)).toEqual([{ column: 'user.name', descending: false }]);
  });

  it('has the id of the open record, which another page or filter removes', () => {
    const state = parseState(LIST, 'q=a&open=12&page=2');
    expect(['q=a&open=12', 'open=-1', 'open=x', ''].map(parseOpenRecordId)).toEqual([12, null, null, null]);
    expect(formatStateWithOpenRecord(state, 13)).toBe('q=a&page=2&open=13');
    expect([formatStateWithOpenRecord(state, null), formatState(state)]).toEqual(['q=a&page=2', 'q=a&page=2']);
  });
});
