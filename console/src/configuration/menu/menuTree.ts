// The edited menu tree: items with unsaved edits, drafts that the server does not have yet, and the sorting and nesting of both. All
// functions in this module are pure.
import type { Schemas } from '@/api/client';
import { checkboxCodec, textCodec, translationsCodec, trimmedTextOrNullCodec } from '@/form/codecs';
import { mergeEdits } from '@/form/merge';
import type { FieldErrors } from '@/form/problems';
import { defineForm, type FormValues, hasChanges as isFormChanged } from '@/form/spec';
import { parseTexts } from '@/ui/texts';
import type { MenuItem } from './requests';

/** Maximum number of levels of a menu. The server rejects a menu with more levels. */
export const MAX_MENU_DEPTH = 3;

export interface MenuEntry {
  /** Id of the menu item. Negative for a draft. */
  id: number;
  /** Id of the parent entry. Null at the top level. */
  parentId: number | null;
  /** The version of the item on which the edits are based. Null for a draft. */
  item: MenuItem | null;
  values: FormValues;
  errors: FieldErrors;
  /** The server's current values of fields that this user has edited and another user has changed. */
  conflicts?: FormValues;
  /** The idempotency key of a draft, so that a repeated save does not create the item twice. */
  idempotencyKey?: string;
}

/** The entries in depth-first sequence: the children of an entry follow the entry. */
export type MenuTree = readonly MenuEntry[];

export const MENU_ITEM_FORM = defineForm<Schemas['MenuItemInput']>()({
  translations: translationsCodec,
  url: textCodec,
  icon: trimmedTextOrNullCodec,
  is_enabled: checkboxCodec,
  is_allowed_for_authorized: checkboxCodec,
  is_allowed_for_guest: checkboxCodec,
  is_blank: checkboxCodec,
});

const NEW_ITEM_VALUES = { is_enabled: true, is_allowed_for_authorized: true, is_allowed_for_guest: true };

export const toItemFormValues = (item: MenuItem | null): FormValues => MENU_ITEM_FORM.toValues(item ?? NEW_ITEM_VALUES);

/** Builds the request body of an entry: all fields of a draft, or only the changed fields of an item. */
export function buildEntryBody(entry: MenuEntry): Schemas['MenuItemInput'] {
  return entry.item
    ? MENU_ITEM_FORM.toPatch(entry.values, toItemFormValues(entry.item))
    : MENU_ITEM_FORM.toBody(entry.values);
}

export const isEntryChanged = (entry: MenuEntry) =>
  !entry.item || isFormChanged(MENU_ITEM_FORM, entry.values, toItemFormValues(entry.item));

export function buildMenuTree(items: readonly MenuItem[]): MenuTree {
  const ids = new Set(items.map(({ id }) => id));
  const entries = items.map((item) => ({
    id: item.id,
    parentId: item.parent && ids.has(item.parent.id) ? item.parent.id : null,
    item,
    values: toItemFormValues(item),
    errors: {},
  }));
  return sortDepthFirst(entries);
}

/** Fields with one text per language. If two users edit different languages, their edits do not conflict. */
const TRANSLATED_FIELDS = ['translations'];

/** Returns the entry after a save: the saved item, together with the edits that the user made during the request. */
export const applySavedItem = (entry: MenuEntry, sentValues: FormValues, savedItem: MenuItem): MenuEntry => ({
  id: savedItem.id,
  parentId: entry.parentId,
  item: savedItem,
  values: mergeEdits(sentValues, entry.values, toItemFormValues(savedItem), TRANSLATED_FIELDS).values,
  errors: {},
});

/**
 * Merges the edited tree with a refetched menu, and keeps the edits. `base` is the tree of the menu on which the edits are based. The
 * sorting of the server applies, unless the user has changed the sorting too.
 *
 * If the user and another user have changed the same field, the entry keeps its old item, so that the server rejects a save as
 * stale. With `overwritesConflicts` (the user has loaded the latest version), the entry gets the current item, and a save overwrites
 * the change of the other user.
 */
export function mergeServerMenu(
  tree: MenuTree,
  base: MenuTree,
  items: readonly MenuItem[],
  overwritesConflicts: boolean,
): MenuTree {
  const serverTree = buildMenuTree(items);
  const mergedEntries = tree.flatMap((entry) => {
    const serverEntry = serverTree.find(({ id }) => id === entry.id);
    if (serverEntry?.item && entry.item) return [mergeEntry(entry, entry.item, serverEntry.item, overwritesConflicts)];
    return isEntryChanged(entry) ? [entry] : [];
  });
  const entriesAddedOnServer = serverTree.filter(({ id }) => !tree.some((entry) => entry.id === id));
  const isReorderedOnServer = hasDifferentSorting(serverTree, base);
  const isReorderedLocally = hasDifferentSorting(
    tree.filter(({ item }) => item),
    base,
  );
  if (!isReorderedOnServer || isReorderedLocally)
    return moveOrphansToTopLevel([...mergedEntries, ...entriesAddedOnServer]);
  const entriesInServerOrder = serverTree.map((serverEntry) => {
    const mergedEntry = mergedEntries.find(({ id }) => id === serverEntry.id);
    return mergedEntry ? { ...mergedEntry, parentId: serverEntry.parentId } : serverEntry;
  });
  const drafts = mergedEntries.filter(({ id }) => !serverTree.some((serverEntry) => serverEntry.id === id));
  return moveOrphansToTopLevel([...entriesInServerOrder, ...drafts]);
}

function mergeEntry(
  entry: MenuEntry,
  baseItem: MenuItem,
  currentItem: MenuItem,
  overwritesConflicts: boolean,
): MenuEntry {
  const [baseValues, currentValues] = [toItemFormValues(baseItem), toItemFormValues(currentItem)];
  const { values, conflicts } = mergeEdits(baseValues, entry.values, currentValues, TRANSLATED_FIELDS);
  const allConflicts = { ...entry.conflicts, ...conflicts };
  if (Object.keys(conflicts).length > 0 && !overwritesConflicts) return { ...entry, conflicts: allConflicts };
  return { ...entry, item: currentItem, values, conflicts: allConflicts };
}

/** Whether the trees differ in sorting or nesting. */
export const hasDifferentSorting = (tree: MenuTree, otherTree: MenuTree) =>
  JSON.stringify(toMenuSorting(tree)) !== JSON.stringify(toMenuSorting(otherTree));

/** Moves entries to the top level if another user has deleted their parent. */
function moveOrphansToTopLevel(tree: MenuTree): MenuTree {
  const ids = new Set(tree.map(({ id }) => id));
  return sortDepthFirst(
    tree.map((entry) => (entry.parentId && !ids.has(entry.parentId) ? { ...entry, parentId: null } : entry)),
  );
}

export function findEnglishName(entry: MenuEntry): string {
  return parseTexts(entry.values.translations ?? '').en?.name?.trim() ?? '';
}

export function computeDepth(tree: MenuTree, entry: MenuEntry): number {
  const parent = tree.find(({ id }) => id === entry.parentId);
  return parent ? computeDepth(tree, parent) + 1 : 1;
}

/** Returns the entry with the given id and all its descendants, in depth-first sequence. */
function collectSubtree(tree: MenuTree, id: number): MenuTree {
  const root = tree.filter((entry) => entry.id === id);
  return root.concat(tree.filter(({ parentId }) => parentId === id).flatMap((child) => collectSubtree(tree, child.id)));
}

function computeSubtreeHeight(tree: MenuTree, id: number): number {
  const childHeights = tree
    .filter(({ parentId }) => parentId === id)
    .map((child) => computeSubtreeHeight(tree, child.id));
  return 1 + Math.max(0, ...childHeights);
}

function sortDepthFirst(tree: MenuTree): MenuTree {
  return tree.filter(({ parentId }) => parentId === null).flatMap((root) => collectSubtree(tree, root.id));
}

/** Moves an entry and its descendants to another position among its siblings. The indexes refer to the displayed list. */
export function moveEntry(tree: MenuTree, fromIndex: number, toIndex: number): MenuTree {
  const [entry, target] = [tree[fromIndex], tree[toIndex]];
  if (!entry || !target) return tree;
  const siblings = tree.filter(({ parentId }) => parentId === entry.parentId);
  // If the target is at a deeper level, the entry moves to the position of the target's ancestor among the siblings.
  const findSiblingAncestor = (descendant: MenuEntry): MenuEntry | undefined => {
    if (descendant.parentId === entry.parentId) return descendant;
    const parent = tree.find(({ id }) => id === descendant.parentId);
    return parent && findSiblingAncestor(parent);
  };
  const targetSibling = findSiblingAncestor(target);
  if (!targetSibling) return tree;
  const entryIndex = siblings.indexOf(entry);
  // The row below an entry is its first child. If the user moves the entry down to that row, move the entry below its next sibling.
  if (targetSibling.id === entry.id)
    return toIndex > fromIndex ? moveToSiblingIndex(tree, siblings, entry, entryIndex + 1) : tree;
  return moveToSiblingIndex(tree, siblings, entry, siblings.indexOf(targetSibling));
}

function moveToSiblingIndex(tree: MenuTree, siblings: MenuTree, entry: MenuEntry, index: number): MenuTree {
  if (index < 0 || index >= siblings.length) return tree;
  const otherSiblings = siblings.filter(({ id }) => id !== entry.id);
  const reorderedSiblings = [...otherSiblings.slice(0, index), entry, ...otherSiblings.slice(index)];
  const otherEntries = tree.filter(({ parentId }) => parentId !== entry.parentId);
  return sortDepthFirst([...otherEntries, ...reorderedSiblings]);
}

/**
 * Makes an entry the last child of its previous sibling. Returns null if there is no previous sibling, or if the menu would be
 * deeper than `MAX_MENU_DEPTH`.
 */
export function indentEntry(tree: MenuTree, id: number): MenuTree | null {
  const entry = tree.find((otherEntry) => otherEntry.id === id);
  const siblings = tree.filter(({ parentId }) => parentId === entry?.parentId);
  const previousSibling = entry && siblings[siblings.indexOf(entry) - 1];
  if (!previousSibling || computeDepth(tree, previousSibling) + computeSubtreeHeight(tree, id) > MAX_MENU_DEPTH)
    return null;
  const otherEntries = tree.filter((otherEntry) => otherEntry.id !== id);
  return sortDepthFirst([...otherEntries, { ...entry, parentId: previousSibling.id }]);
}

/** Makes an entry the next sibling of its parent. Returns null if the entry is at the top level. */
export function outdentEntry(tree: MenuTree, id: number): MenuTree | null {
  const entry = tree.find((otherEntry) => otherEntry.id === id);
  const parent = tree.find((otherEntry) => otherEntry.id === entry?.parentId);
  if (!entry || !parent) return null;
  const index = tree.indexOf(parent) + 1;
  const otherEntries = tree.filter((otherEntry) => otherEntry.id !== id);
  const outdentedEntry = { ...entry, parentId: parent.parentId };
  return sortDepthFirst([...otherEntries.slice(0, index), outdentedEntry, ...otherEntries.slice(index)]);
}

/** Converts the sorting and nesting of a tree to the format of the API. */
export const toMenuSorting = (tree: MenuTree) => tree.map(({ id, parentId }) => ({ id, parent_id: parentId }));
