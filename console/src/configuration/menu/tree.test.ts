import { describe, expect, it } from 'vitest';
import type { MenuItem } from './calls';
import {
  bodyOf,
  type Entry,
  followed,
  indented,
  isChanged,
  moved,
  nameOf,
  orderOf,
  outdented,
  treeOf,
  valuesOf,
} from './tree';

const item = (id: number, parent: number | null = null) =>
  ({
    id,
    url: `/${id}`,
    icon: null,
    parent: parent === null ? null : { id: parent, name: '', url: '' },
    is_enabled: true,
    is_allowed_for_authorized: true,
    is_allowed_for_guest: false,
    is_blank: false,
    translations: { en: { name: `Item ${id}` } },
  }) as unknown as MenuItem;

/** 1 with 2 and 3 below it, then 4, then 5. */
const tree = () => treeOf([item(1), item(4), item(2, 1), item(5), item(3, 1)]);
const shown = (entries: readonly Entry[] | null) => entries?.map(({ id, parent }) => `${parent ?? ''}>${id}`).join(' ');

describe('a menu', () => {
  it('has children behind their parents', () => {
    expect(shown(tree())).toBe('>1 1>2 1>3 >4 >5');
    expect(orderOf(tree())[1]).toEqual({ id: 2, parent_id: 1 });
  });

  it('moves an item with all below it', () => {
    expect(shown(moved(tree(), 0, 3))).toBe('>4 >1 1>2 1>3 >5');
    expect(shown(moved(tree(), 4, 0))).toBe('>5 >1 1>2 1>3 >4');
    expect(shown(moved(tree(), 2, 1))).toBe('>1 1>3 1>2 >4 >5');
    expect(shown(moved(tree(), 0, 1))).toBe('>4 >1 1>2 1>3 >5');
    expect(shown(moved(tree(), 1, 4))).toBe(shown(tree()));
  });

  it('hangs an item below another, and takes it out again', () => {
    const inside = indented(tree(), 4);
    expect(shown(inside)).toBe('>1 1>2 1>3 1>4 >5');
    expect(shown(outdented(inside ?? [], 4))).toBe('>1 1>2 1>3 >4 >5');
    expect(indented(tree(), 1)).toBeNull();
    expect(outdented(tree(), 4)).toBeNull();
  });

  it('is three deep at most', () => {
    const deep = treeOf([item(1), item(2, 1), item(3, 2), item(4, 2)]);
    expect(indented(deep, 4)).toBeNull();
    const two = treeOf([item(1), item(2), item(3, 2), item(4, 3)]);
    expect(indented(two, 2)).toBeNull();
  });

  it('knows what was changed of each', () => {
    const [entry] = tree();
    if (!entry) throw new Error('no entry');
    expect(isChanged(entry)).toBe(false);
    const changed = { ...entry, values: { ...entry.values, url: '/new', is_blank: 'yes', icon: ' ' } };
    expect(bodyOf(changed)).toEqual({ url: '/new', is_blank: true, icon: null });
    const draft: Entry = { id: -1, parent: null, was: null, values: valuesOf(null), errors: {} };
    expect(isChanged(draft)).toBe(true);
    expect(bodyOf(draft)).toEqual({
      translations: {},
      url: '',
      icon: null,
      is_enabled: true,
      is_allowed_for_authorized: true,
      is_allowed_for_guest: true,
      is_blank: false,
    });
    expect(nameOf(entry)).toBe('Item 1');
  });
});

describe('a menu that is read again', () => {
  const named = (id: number, name: string, stamp = '2') =>
    ({ ...item(id), translations: { en: { name } }, updated_at: stamp }) as MenuItem;
  const typed = (tree: readonly Entry[], id: number, url: string) =>
    tree.map((entry) => (entry.id === id ? { ...entry, values: { ...entry.values, url } } : entry));
  const urls = (tree: readonly Entry[]) => tree.map(({ values }) => values.url);

  it('comes under what was typed, and keeps drafts', () => {
    const before = treeOf([item(1), item(2)]);
    const draft: Entry = { id: -1, parent: 1, was: null, values: valuesOf(null), errors: {} };
    const mine = [...typed(before, 1, '/mine'), draft];
    const tree = followed(mine, before, [named(1, 'Theirs'), named(2, 'Theirs'), named(3, 'New')], false);
    expect(shown(tree)).toBe('>1 1>-1 >2 >3');
    expect(tree.filter(({ was }) => was).map(nameOf)).toEqual(['Theirs', 'Theirs', 'New']);
    expect([tree[0]?.values.url, tree[0]?.was?.updated_at, isChanged(tree[2] as Entry)]).toEqual(['/mine', '2', false]);
  });

  it('keeps the old item where both changed the same, until the newer one is asked for', () => {
    const before = treeOf([item(1)]);
    const theirs = [{ ...named(1, 'Item 1'), url: '/theirs' }];
    const kept = followed(typed(before, 1, '/mine'), before, theirs, false);
    expect([kept[0]?.was?.url, kept[0]?.conflicts]).toEqual(['/1', { url: '/theirs' }]);
    const taken = followed(kept, treeOf(theirs), theirs, true);
    expect([urls(taken), taken[0]?.was?.url, taken[0]?.conflicts]).toEqual([['/mine'], '/theirs', { url: '/theirs' }]);
  });

  it('takes their order, unless it was changed here too', () => {
    const before = treeOf([item(1), item(2), item(3)]);
    const theirs = [item(3), item(1), item(2)];
    expect(shown(followed(before, before, theirs, false))).toBe('>3 >1 >2');
    expect(shown(followed(moved(before, 0, 1), before, theirs, false))).toBe('>2 >1 >3');
  });

  it('drops what is gone, with what was below it on top', () => {
    const before = treeOf([item(1), item(2, 1)]);
    expect(shown(followed(before, before, [item(2, 1)], false))).toBe('>2');
  });
});
