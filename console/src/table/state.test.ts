import { beforeEach, describe, expect, it } from 'vitest';
import { type List, scopeToRecord } from './listDefinition';
import {
  clearRemembered,
  nextSort,
  openRecordId,
  pageSizes,
  readState,
  rememberedState,
  rememberState,
  toTableQuery,
  withOpenRecord,
  writeState,
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
  defaults: { user: 'anna' },
};

describe('the URL of a list', () => {
  beforeEach(() => {
    localStorage.clear();
    clearRemembered();
  });

  it('is parsed without unknown parameters', () => {
    const state = readState(LIST, 'q=a+b&user=li&sort=-id,secret,nonsense&page=0&size=7&evil=1&drip_feed_id=4');
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
    const size = (list: typeof LIST, address: string) => readState(list, address).size;
    expect([size(LIST, ''), size(LIST, 'size=50'), size(LIST, 'size=15'), size(LIST, 'size=1000')]).toEqual([
      30, 50, 30, 30,
    ]);
    const pages = { ...LIST, pageSize: 15 };
    expect([size(pages, ''), size(pages, 'size=10'), size(pages, 'size=30')]).toEqual([15, 10, 30]);
  });

  it('accepts the search parameter of links from other pages', () => {
    expect(readState(LIST, 'search=INV-7').search).toBe('INV-7');
    expect(readState(LIST, 'search=INV-7&q=mine').search).toBe('mine');
    expect(writeState(readState(LIST, 'search=INV-7'))).toBe('q=INV-7');
  });

  it('omits defaults, and round-trips', () => {
    expect(writeState(readState(LIST, ''))).toBe('');
    const text = 'q=%C3%BC%26%3D&user=a%2Cb&sort=id%2C-user.name&page=12&size=100';
    expect(writeState(readState(LIST, text))).toBe(text);
    expect(readState(LIST, writeState(readState(LIST, text)))).toEqual(readState(LIST, text));
  });

  it('filters by parameters without a column, and keeps the filter of its record', () => {
    expect(toTableQuery(LIST, readState(LIST, 'user.id=7')).filters).toEqual({ 'user.id': '7' });
    const list = scopeToRecord(LIST, { 'user.id': '9' });
    expect(list.columns.map((column) => column.name)).toEqual(['id', 'secret']);
    expect(toTableQuery(list, readState(list, 'user.id=7')).filters).toEqual({ 'user.id': '9' });
    rememberState(list, readState(list, 'id=5'));
    expect([rememberedState(list), rememberedState(LIST)]).toEqual(['', 'user=anna']);
  });

  it('is remembered without the page, and has the default filters on the first visit', () => {
    expect(rememberedState(LIST)).toBe('user=anna');
    rememberState(LIST, readState(LIST, 'q=x&page=7'));
    expect(rememberedState(LIST)).toBe('q=x');
    rememberState(LIST, readState(LIST, ''));
    expect(rememberedState(LIST)).toBe('');
  });

  it('keeps no search and no filter in the storage of the browser', () => {
    rememberState(LIST, readState(LIST, 'q=anna@example.com&user=li&sort=-id&size=50'));
    expect(JSON.stringify({ ...localStorage })).not.toMatch(/anna|li\b|user=/);
    expect(rememberedState(LIST)).toBe('q=anna%40example.com&user=li&sort=-id&size=50');
    clearRemembered();
    expect(rememberedState(LIST)).toBe('sort=-id&size=50');
    // The default filter is not personal data, so that it is stored.
    rememberState(LIST, readState(LIST, 'user=anna'));
    clearRemembered();
    expect(rememberedState(LIST)).toBe('user=anna');
  });

  it('sorts ascending, descending, by default, and by several columns', () => {
    const up = nextSort([], 'id', false);
    const down = nextSort(up, 'id', false);
    expect([up, down, nextSort(down, 'id', false)]).toEqual([
      [{ column: 'id', descending: false }],
      [{ column: 'id', descending: true }],
      [],
    ]);
    expect(nextSort(down, 'user.name', true)).toEqual([
      { column: 'id', descending: true },
      { column: 'user.name', descending: false },
    ]);
    expect(nextSort(down, 'user.name', false)).toEqual([{ column: 'user.name', descending: false }]);
  });

  it('has the open record, which another page or filter closes', () => {
    const state = readState(LIST, 'q=a&open=12&page=2');
    expect([openRecordId('q=a&open=12'), openRecordId('open=-1'), openRecordId('open=x'), openRecordId('')]).toEqual([
      12,
      null,
      null,
      null,
    ]);
    expect(withOpenRecord(state, 13)).toBe('q=a&page=2&open=13');
    expect([withOpenRecord(state, null), writeState(state)]).toEqual(['q=a&page=2', 'q=a&page=2']);
  });
});
