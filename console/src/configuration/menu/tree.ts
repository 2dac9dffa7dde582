// The edited menu tree: items with unsaved edits, drafts that the server does not have yet, and the order and nesting of both.
// All functions are pure.
import type { Schemas } from '@/api/client';
import { checkbox, text, texts, trimmedOrNull } from '@/form/codecs';
import { mergeEdits } from '@/form/merge';
import type { FieldErrors } from '@/form/problems';
import { defineForm, type FormValues, isChanged as isFormChanged } from '@/form/spec';
import { parseTexts } from '@/ui/texts';
import type { MenuItem } from './calls';

/** Levels of a menu. The server rejects a deeper menu. */
export const MAX_DEPTH = 3;

export interface MenuEntry {
  /** Id of the menu item; negative for a draft. */
  id: number;
  /** Id of the parent entry; null at the top level. */
  parentId: number | null;
  /** The version of the item that the edits are based on; null for a draft. */
  item: MenuItem | null;
  values: FormValues;
  errors: FieldErrors;
  /** Current values of fields that were edited here and changed by another user. */
  conflicts?: FormValues;
  /** The idempotency key of a draft, so that a repeated save does not create the item twice. */
  idempotencyKey?: string;
}

/** The entries in depth-first order: children follow their parent. */
export type MenuTree = readonly MenuEntry[];

export const ITEM_FORM = defineForm<Schemas['MenuItemInput']>()({
  translations: texts,
  url: text,
  icon: trimmedOrNull,
  is_enabled: checkbox,
  is_allowed_for_authorized: checkbox,
  is_allowed_for_guest: checkbox,
  is_blank: checkbox,
});

const NEW_ITEM_VALUES = { is_enabled: true, is_allowed_for_authorized: true, is_allowed_for_guest: true };

export const toItemFormValues = (item: MenuItem | null): FormValues => ITEM_FORM.toValues(item ?? NEW_ITEM_VALUES);

/** The request body of an entry: all fields of a draft, otherwise only the changed fields. */
export function buildEntryBody(entry: MenuEntry): Schemas['MenuItemInput'] {
  return entry.item ? ITEM_FORM.toPatch(entry.values, toItemFormValues(entry.item)) : ITEM_FORM.toBody(entry.values);
}

export const isChanged = (entry: MenuEntry) =>
  !entry.item || isFormChanged(ITEM_FORM, entry.values, toItemFormValues(entry.item));

export function buildTree(items: readonly MenuItem[]): MenuTree {
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

/** Fields with one text per language. Edits of different languages are merged without a conflict. */
const TRANSLATED_FIELDS = ['translations'];

/** Returns the entry after a save: the saved item with the edits that the user made during the request. */
export const applySavedItem = (entry: MenuEntry, sentValues: FormValues, savedItem: MenuItem): MenuEntry => ({
  id: savedItem.id,
  parentId: entry.parentId,
  item: savedItem,
  values: mergeEdits(sentValues, entry.values, toItemFormValues(savedItem), TRANSLATED_FIELDS).values,
  errors: {},
});

/**
 * Merges the edited tree with a refetched menu; `base` is the tree of the menu that the edits started from. Edits are kept. The
 * order of the server applies unless the user has changed the order too.
 *
 * If the user and another user have changed the same field, the entry keeps its old item, so that the server rejects a save as
 * stale. With `overwritesConflicts` (the user has loaded the latest version) the entry gets the current item, and a save
 * overwrites the other user's change.
 */
export function mergeServerMenu(
  tree: MenuTree,
  base: MenuTree,
  items: readonly MenuItem[],
  overwritesConflicts: boolean,
): MenuTree {
  const serverTree = buildTree(items);
  const mergedEntries = tree.flatMap((entry) => {
    const serverEntry = serverTree.find(({ id }) => id === entry.id);
    if (serverEntry?.item && entry.item) return [mergeEntry(entry, entry.item, serverEntry.item, overwritesConflicts)];
    return isChanged(entry) ? [entry] : [];
  });
  const addedOnServer = serverTree.filter(({ id }) => !tree.some((entry) => entry.id === id));
  const isReorderedOnServer = hasDifferentOrder(serverTree, base);
  const isReorderedLocally = hasDifferentOrder(
    tree.filter(({ item }) => item),
    base,
  );
  if (!isReorderedOnServer || isReorderedLocally) return promoteOrphans([...mergedEntries, ...addedOnServer]);
  const entriesInServerOrder = serverTree.map((serverEntry) => {
    const mergedEntry = mergedEntries.find(({ id }) => id === serverEntry.id);
    return mergedEntry ? { ...mergedEntry, parentId: serverEntry.parentId } : serverEntry;
  });
  const localEntries = mergedEntries.filter(({ id }) => !serverTree.some((serverEntry) => serverEntry.id === id));
  return promoteOrphans([...entriesInServerOrder, ...localEntries]);
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

/** Whether the trees differ in order or nesting. */
export const hasDifferentOrder = (tree: MenuTree, otherTree: MenuTree) =>
  JSON.stringify(toMenuOrder(tree)) !== JSON.stringify(toMenuOrder(otherTree));

/** Moves entries whose parent was deleted to the top level. */
function promoteOrphans(tree: MenuTree): MenuTree {
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

/** Returns the entry with this id and all its descendants, in depth-first order. */
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

/** Moves an entry with its descendants among its siblings. `from` and `to` are indexes of the displayed list. */
export function moveEntry(tree: MenuTree, from: number, to: number): MenuTree {
  const [entry, target] = [tree[from], tree[to]];
  if (!entry || !target) return tree;
  const siblings = tree.filter(({ parentId }) => parentId === entry.parentId);
  // If the target is at a deeper level, the entry moves to the position of the target's ancestor among the siblings.
  const findSiblingAncestor = (candidate: MenuEntry): MenuEntry | undefined => {
    if (candidate.parentId === entry.parentId) return candidate;
    const parent = tree.find(({ id }) => id === candidate.parentId);
    return parent && findSiblingAncestor(parent);
  };
  const targetSibling = findSiblingAncestor(target);
  if (!targetSibling) return tree;
  const entryIndex = siblings.indexOf(entry);
  // The row below an entry is its own first child. A move down to that row means a move below the next sibling.
  if (targetSibling.id === entry.id)
    return to > from ? moveToSiblingIndex(tree, siblings, entry, entryIndex + 1) : tree;
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
 * deeper than `MAX_DEPTH`.
 */
export function indentEntry(tree: MenuTree, id: number): MenuTree | null {
  const entry = tree.find((candidate) => candidate.id === id);
  const siblings = tree.filter(({ parentId }) => parentId === entry?.parentId);
  const previousSibling = entry && siblings[siblings.indexOf(entry) - 1];
  if (!previousSibling || computeDepth(tree, previousSibling) + computeSubtreeHeight(tree, id) > MAX_DEPTH) return null;
  const otherEntries = tree.filter((candidate) => candidate.id !== id);
  return sortDepthFirst([...otherEntries, { ...entry, parentId: previousSibling.id }]);
}

/** Makes an entry the next sibling of its parent. Returns null if the entry is at the top level. */
export function outdentEntry(tree: MenuTree, id: number): MenuTree | null {
  const entry = tree.find((candidate) => candidate.id === id);
  const parent = tree.find((candidate) => candidate.id === entry?.parentId);
  if (!entry || !parent) return null;
  const index = tree.indexOf(parent) + 1;
  const otherEntries = tree.filter((candidate) => candidate.id !== id);
  const outdentedEntry = { ...entry, parentId: parent.parentId };
  return sortDepthFirst([...otherEntries.slice(0, index), outdentedEntry, ...otherEntries.slice(index)]);
}

/** The order and nesting of a tree as the API stores it. */
export const toMenuOrder = (tree: MenuTree) => tree.map(({ id, parentId }) => ({ id, parent_id: parentId }));
