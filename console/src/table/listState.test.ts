import { beforeEach, describe, expect, it } from 'vitest';
import { type List, scopeToRecord } from './listDefinition';
import {
  clearSavedQueries,
  formatState,
  formatStateWithPreview,
  getLastQuery,
  getNextSort,
  getPageSizes,
  parsePreviewedId,
  parseState,
  saveListState,
  toTableQuery,
} from './listState';

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

describe('the state of a list in its URL', () => {
  beforeEach(() => {
    localStorage.clear();
    clearSavedQueries();
  });

  it('ignores unknown parameters', () => {
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

  it('accepts only the offered page sizes, and uses 30 rows otherwise', () => {
    expect([getPageSizes(), getPageSizes(15)]).toEqual([
      [10, 20, 30, 50, 100],
      [10, 15, 20, 30, 50, 100],
    ]);
    const parseSize = (list: typeof LIST, query: string) => parseState(list, query).size;
    expect([
      parseSize(LIST, ''),
      parseSize(LIST, 'size=50'),
      parseSize(LIST, 'size=15'),
      parseSize(LIST, 'size=1000'),
    ]).toEqual([30, 50, 30, 30]);
    const listWithPageSize = { ...LIST, pageSize: 15 };
    expect([
      parseSize(listWithPageSize, ''),
      parseSize(listWithPageSize, 'size=10'),
      parseSize(listWithPageSize, 'size=30'),
    ]).toEqual([15, 10, 30]);
  });

  it('accepts the search parameter of links from other pages', () => {
    expect(parseState(LIST, 'search=INV-7').search).toBe('INV-7');
    expect(parseState(LIST, 'search=INV-7&q=mine').search).toBe('mine');
    expect(formatState(parseState(LIST, 'search=INV-7'))).toBe('q=INV-7');
  });

  it('omits default values, and parses a formatted state to the same state', () => {
    expect(formatState(parseState(LIST, ''))).toBe('');
    const query = 'q=%C3%BC%26%3D&user=a%2Cb&sort=id%2C-user.name&page=12&size=100';
    expect(formatState(parseState(LIST, query))).toBe(query);
    expect(parseState(LIST, formatState(parseState(LIST, query)))).toEqual(parseState(LIST, query));
  });

  it('accepts filters without a column, and always applies the fixed filters', () => {
    expect(toTableQuery(LIST, parseState(LIST, 'user.id=7')).filters).toEqual({ 'user.id': '7' });
    const list = scopeToRecord(LIST, { 'user.id': '9' });
    expect(list.columns.map((column) => column.name)).toEqual(['id', 'secret']);
    expect(toTableQuery(list, parseState(list, 'user.id=7')).filters).toEqual({ 'user.id': '9' });
    saveListState(list, parseState(list, 'id=5'));
    expect([getLastQuery(list), getLastQuery(LIST)]).toEqual(['', 'user=anna']);
  });

  it('saves the state without the page, and applies the default filters on the first visit', () => {
    expect(getLastQuery(LIST)).toBe('user=anna');
    saveListState(LIST, parseState(LIST, 'q=x&page=7'));
    expect(getLastQuery(LIST)).toBe('q=x');
    saveListState(LIST, parseState(LIST, ''));
    expect(getLastQuery(LIST)).toBe('');
  });

  it('stores neither search nor filters in the browser', () => {
    saveListState(LIST, parseState(LIST, 'q=anna@example.com&user=li&sort=-id&size=50'));
    expect(JSON.stringify({ ...localStorage })).not.toMatch(/anna|li\b|user=/);
    expect(getLastQuery(LIST)).toBe('q=anna%40example.com&user=li&sort=-id&size=50');
    clearSavedQueries();
    expect(getLastQuery(LIST)).toBe('sort=-id&size=50');
    // The browser may store the default filter, because it is not personal data.
    saveListState(LIST, parseState(LIST, 'user=anna'));
    clearSavedQueries();
    expect(getLastQuery(LIST)).toBe('user=anna');
  });

  it('sorts ascending, descending, by default, and by several columns', () => {
    const ascending = getNextSort([], 'id', false);
    const descending = getNextSort(ascending, 'id', false);
    expect([ascending, descending, getNextSort(descending, 'id', false)]).toEqual([
      [{ column: 'id', descending: false }],
      [{ column: 'id', descending: true }],
      [],
    ]);
    expect(getNextSort(descending, 'user.name', true)).toEqual([
      { column: 'id', descending: true },
      { column: 'user.name', descending: false },
    ]);
    expect(getNextSort(descending, 'user.name', false)).toEqual([{ column: 'user.name', descending: false }]);
  });

  it('contains the id of the previewed record, and links to another page or filter remove the id', () => {
    const state = parseState(LIST, 'q=a&open=12&page=2');
    expect(['q=a&open=12', 'open=-1', 'open=x', ''].map(parsePreviewedId)).toEqual([12, null, null, null]);
    expect(formatStateWithPreview(state, 13)).toBe('q=a&page=2&open=13');
    expect([formatStateWithPreview(state, null), formatState(state)]).toEqual(['q=a&page=2', 'q=a&page=2']);
  });
});
