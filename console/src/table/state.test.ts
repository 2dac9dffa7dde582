import { beforeEach, describe, expect, it } from 'vitest';
import { type List, within } from './declare';
import { forgetUsed, opened, queryOf, read, remember, remembered, sizesOf, sorted, withOpened, write } from './state';

const LIST: List<{ id: number }> = {
  name: 'things',
  title: 'orders.title',
  path: '/things',
  columns: [
    { name: 'id', label: 'x', width: 1, cell: () => null },
    { name: 'user.name', filterName: 'user', label: 'x', width: 1, cell: () => null },
    { name: 'secret', label: 'x', width: 1, sortable: false, cell: () => null },
  ],
  plain: ['drip_feed_id'],
  searched: { 'user.id': 'x' },
  defaults: { user: 'anna' },
};

describe('the address of a list', () => {
  beforeEach(() => {
    localStorage.clear();
    forgetUsed();
  });

  it('is read, and what it cannot know is left out', () => {
    const state = read(LIST, 'q=a+b&user=li&sort=-id,secret,nonsense&page=0&size=7&evil=1&drip_feed_id=4');
    expect(state).toEqual({
      search: 'a b',
      filters: { user: 'li', drip_feed_id: '4' },
      sort: [{ column: 'id', descending: true }],
      page: 1,
      size: 30,
    });
    expect(queryOf(LIST, state)).toEqual({
      search: 'a b',
      filters: { user: 'li' },
      plain: { drip_feed_id: '4' },
      sort: [{ column: 'id', descending: true }],
    });
  });

  it('has 30 rows of a page, or one of the sizes that are offered', () => {
    expect([sizesOf(), sizesOf(15)]).toEqual([
      [10, 20, 30, 50, 100],
      [10, 15, 20, 30, 50, 100],
    ]);
    const size = (list: typeof LIST, address: string) => read(list, address).size;
    expect([size(LIST, ''), size(LIST, 'size=50'), size(LIST, 'size=15'), size(LIST, 'size=1000')]).toEqual([
      30, 50, 30, 30,
    ]);
    const pages = { ...LIST, size: 15 };
    expect([size(pages, ''), size(pages, 'size=10'), size(pages, 'size=30')]).toEqual([15, 10, 30]);
  });

  it('takes the search of a link from elsewhere', () => {
    expect(read(LIST, 'search=INV-7').search).toBe('INV-7');
    expect(read(LIST, 'search=INV-7&q=mine').search).toBe('mine');
    expect(write(read(LIST, 'search=INV-7'))).toBe('q=INV-7');
  });

  it('is written short, and reading it gives the same', () => {
    expect(write(read(LIST, ''))).toBe('');
    const text = 'q=%C3%BC%26%3D&user=a%2Cb&sort=id%2C-user.name&page=12&size=100';
    expect(write(read(LIST, text))).toBe(text);
    expect(read(LIST, write(read(LIST, text)))).toEqual(read(LIST, text));
  });

  it('searches what no column shows, and stays with the record that it belongs to', () => {
    expect(queryOf(LIST, read(LIST, 'user.id=7')).filters).toEqual({ 'user.id': '7' });
    const list = within(LIST, { 'user.id': '9' });
    expect(list.columns.map((column) => column.name)).toEqual(['id', 'secret']);
    expect(queryOf(list, read(list, 'user.id=7')).filters).toEqual({ 'user.id': '9' });
    remember(list, read(list, 'id=5'));
    expect([remembered(list), remembered(LIST)]).toEqual(['', 'user=anna']);
  });

  it('is remembered without its page; the first visit has the defaults', () => {
    expect(remembered(LIST)).toBe('user=anna');
    remember(LIST, read(LIST, 'q=x&page=7'));
    expect(remembered(LIST)).toBe('q=x');
    remember(LIST, read(LIST, ''));
    expect(remembered(LIST)).toBe('');
  });

  it('keeps no search and no filter in the storage of the browser', () => {
    remember(LIST, read(LIST, 'q=anna@example.com&user=li&sort=-id&size=50'));
    expect(JSON.stringify({ ...localStorage })).not.toMatch(/anna|li\b|user=/);
    expect(remembered(LIST)).toBe('q=anna%40example.com&user=li&sort=-id&size=50');
    forgetUsed();
    expect(remembered(LIST)).toBe('sort=-id&size=50');
    // The list's own filter is no secret; without it the list is not filtered again.
    remember(LIST, read(LIST, 'user=anna'));
    forgetUsed();
    expect(remembered(LIST)).toBe('user=anna');
  });

  it('sorts up, down, as usual; and by several', () => {
    const up = sorted([], 'id', false);
    const down = sorted(up, 'id', false);
    expect([up, down, sorted(down, 'id', false)]).toEqual([
      [{ column: 'id', descending: false }],
      [{ column: 'id', descending: true }],
      [],
    ]);
    expect(sorted(down, 'user.name', true)).toEqual([
      { column: 'id', descending: true },
      { column: 'user.name', descending: false },
    ]);
    expect(sorted(down, 'user.name', false)).toEqual([{ column: 'user.name', descending: false }]);
  });

  it('names the record that is open beside it, and forgets it with the page', () => {
    const state = read(LIST, 'q=a&open=12&page=2');
    expect([opened('q=a&open=12'), opened('open=-1'), opened('open=x'), opened('')]).toEqual([12, null, null, null]);
    expect(withOpened(state, 13)).toBe('q=a&page=2&open=13');
    expect([withOpened(state, null), write(state)]).toEqual(['q=a&page=2', 'q=a&page=2']);
  });
});
