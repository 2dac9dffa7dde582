import { describe, expect, it } from 'vitest';
import {
  buildEntryBody,
  buildMenuTree,
  findEnglishName,
  indentEntry,
  isEntryChanged,
  type MenuEntry,
  mergeServerMenu,
  moveEntry,
  outdentEntry,
  toItemFormValues,
  toMenuSorting,
} from './menuTree';
import type { MenuItem } from './requests';

const createItem = (id: number, parentId: number | null = null) =>
  ({
    id,
    url: `/${id}`,
    icon: null,
    parent: parentId === null ? null : { id: parentId, name: '', url: '' },
    is_enabled: true,
    is_allowed_for_authorized: true,
    is_allowed_for_guest: false,
    is_blank: false,
    translations: { en: { name: `Item ${id}` } },
  }) as unknown as MenuItem;

/** Item 1 with the children 2 and 3, then item 4, then item 5. */
const createExampleTree = () =>
  buildMenuTree([createItem(1), createItem(4), createItem(2, 1), createItem(5), createItem(3, 1)]);
/** Formats each entry as `parent>id`: `>1 1>2` is item 1 at the top level, followed by its child 2. */
const formatTree = (entries: readonly MenuEntry[] | null) =>
  entries?.map(({ id, parentId }) => `${parentId ?? ''}>${id}`).join(' ');

describe('a menu tree', () => {
  it('lists children after their parents', () => {
    expect(formatTree(createExampleTree())).toBe('>1 1>2 1>3 >4 >5');
    expect(toMenuSorting(createExampleTree())[1]).toEqual({ id: 2, parent_id: 1 });
  });

  it('moves an item with its descendants', () => {
    expect(formatTree(moveEntry(createExampleTree(), 0, 3))).toBe('>4 >1 1>2 1>3 >5');
    expect(formatTree(moveEntry(createExampleTree(), 4, 0))).toBe('>5 >1 1>2 1>3 >4');
    expect(formatTree(moveEntry(createExampleTree(), 2, 1))).toBe('>1 1>3 1>2 >4 >5');
    expect(formatTree(moveEntry(createExampleTree(), 0, 1))).toBe('>4 >1 1>2 1>3 >5');
    expect(formatTree(moveEntry(createExampleTree(), 1, 4))).toBe(formatTree(createExampleTree()));
  });

  it('indents an item below its previous sibling, and outdents it again', () => {
    const indentedTree = indentEntry(createExampleTree(), 4);
    expect(formatTree(indentedTree)).toBe('>1 1>2 1>3 1>4 >5');
    expect(formatTree(outdentEntry(indentedTree ?? [], 4))).toBe('>1 1>2 1>3 >4 >5');
    expect(indentEntry(createExampleTree(), 1)).toBeNull();
    expect(outdentEntry(createExampleTree(), 4)).toBeNull();
  });

  it('never has more than three levels', () => {
    const withThreeLevels = buildMenuTree([createItem(1), createItem(2, 1), createItem(3, 2), createItem(4, 2)]);
    expect(indentEntry(withThreeLevels, 4)).toBeNull();
    const withDeepSubtree = buildMenuTree([createItem(1), createItem(2), createItem(3, 2), createItem(4, 3)]);
    expect(indentEntry(withDeepSubtree, 2)).toBeNull();
  });

  it('sends only the changed fields of an item, but all fields of a draft', () => {
    const [entry] = createExampleTree();
    if (!entry) throw new Error('the example tree has no entries');
    expect(isEntryChanged(entry)).toBe(false);
    const changedEntry = { ...entry, values: { ...entry.values, url: '/new', is_blank: 'yes', icon: ' ' } };
    expect(buildEntryBody(changedEntry)).toEqual({ url: '/new', is_blank: true, icon: null });
    const draft: MenuEntry = { id: -1, parentId: null, item: null, values: toItemFormValues(null), errors: {} };
    expect(isEntryChanged(draft)).toBe(true);
    expect(buildEntryBody(draft)).toEqual({
      translations: {},
      url: '',
      icon: null,
      is_enabled: true,
      is_allowed_for_authorized: true,
      is_allowed_for_guest: true,
      is_blank: false,
    });
    expect(findEnglishName(entry)).toBe('Item 1');
  });
});

describe('mergeServerMenu', () => {
  const createRenamedItem = (id: number, name: string, updatedAt = '2') =>
    ({ ...createItem(id), translations: { en: { name } }, updated_at: updatedAt }) as MenuItem;
  const editUrl = (tree: readonly MenuEntry[], id: number, url: string) =>
    tree.map((entry) => (entry.id === id ? { ...entry, values: { ...entry.values, url } } : entry));

  it('keeps edits and drafts', () => {
    const base = buildMenuTree([createItem(1), createItem(2)]);
    const draft: MenuEntry = { id: -1, parentId: 1, item: null, values: toItemFormValues(null), errors: {} };
    const editedTree = [...editUrl(base, 1, '/mine'), draft];
    const serverItems = [createRenamedItem(1, 'Theirs'), createRenamedItem(2, 'Theirs'), createRenamedItem(3, 'New')];
    const tree = mergeServerMenu(editedTree, base, serverItems, false);
    expect(formatTree(tree)).toBe('>1 1>-1 >2 >3');
    expect(tree.filter(({ item }) => item).map(findEnglishName)).toEqual(['Theirs', 'Theirs', 'New']);
    expect(tree[0]?.values.url).toBe('/mine');
    expect(tree[0]?.item?.updated_at).toBe('2');
    expect(isEntryChanged(tree[2] as MenuEntry)).toBe(false);
  });

  it('keeps the old version of an item with conflicting edits until the user loads the latest version', () => {
    const base = buildMenuTree([createItem(1)]);
    const serverItems = [{ ...createRenamedItem(1, 'Item 1'), url: '/theirs' }];
    const conflictingTree = mergeServerMenu(editUrl(base, 1, '/mine'), base, serverItems, false);
    expect(conflictingTree[0]?.item?.url).toBe('/1');
    expect(conflictingTree[0]?.conflicts).toEqual({ url: '/theirs' });
    const reloadedTree = mergeServerMenu(conflictingTree, buildMenuTree(serverItems), serverItems, true);
    expect(reloadedTree).toMatchObject([
      { values: { url: '/mine' }, item: { url: '/theirs' }, conflicts: { url: '/theirs' } },
    ]);
  });

  it('uses the sorting of the server, unless the user has changed the sorting too', () => {
    const base = buildMenuTree([createItem(1), createItem(2), createItem(3)]);
    const serverItems = [createItem(3), createItem(1), createItem(2)];
    expect(formatTree(mergeServerMenu(base, base, serverItems, false))).toBe('>3 >1 >2');
    expect(formatTree(mergeServerMenu(moveEntry(base, 0, 1), base, serverItems, false))).toBe('>2 >1 >3');
  });

  it('removes deleted items, and moves their children to the top level', () => {
    const base = buildMenuTree([createItem(1), createItem(2, 1)]);
    expect(formatTree(mergeServerMenu(base, base, [createItem(2, 1)], false))).toBe('>2');
  });
});
