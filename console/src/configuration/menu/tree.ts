// The menu while it is edited: items with what was changed of each, drafts that the server does not know yet, and the
// order with who stands below whom. Pure.
import type { Schemas } from '@/api/client';
import { checkbox, text, texts, trimmedOrNull } from '@/form/codecs';
import { mergeEdits } from '@/form/merge';
import type { FieldErrors } from '@/form/problems';
import { defineForm, isChanged as differs, type FormValues } from '@/form/spec';
import { parseTexts } from '@/ui/texts';
import type { MenuItem } from './calls';

/** How deep a menu may go, as the server refuses more: a bound for the keys that move an item. */
export const DEEPEST = 3;

export interface Entry {
  /** The item's; below zero for a draft. */
  id: number;
  /** Where it stands below nothing: nothing. */
  parent: number | null;
  /** As the server has it; nothing for a draft. */
  was: MenuItem | null;
  /** Fields of the form as they are typed. */
  values: FormValues;
  errors: FieldErrors;
  /** What another person made of fields that were changed here too. */
  conflicts?: FormValues;
  /** Of a draft: what it is made under, so that it is made once. */
  key?: string;
}

export type Tree = readonly Entry[];

export const ITEM = defineForm<Schemas['MenuItemInput']>()({
  translations: texts,
  url: text,
  icon: trimmedOrNull,
  is_enabled: checkbox,
  is_allowed_for_authorized: checkbox,
  is_allowed_for_guest: checkbox,
  is_blank: checkbox,
});

const NEW = { is_enabled: true, is_allowed_for_authorized: true, is_allowed_for_guest: true };

export const valuesOf = (item: MenuItem | null): FormValues => ITEM.toValues(item ?? NEW);

/** What is sent of an entry: for a draft everything, else what was changed. */
export function bodyOf(entry: Entry): Schemas['MenuItemInput'] {
  return entry.was ? ITEM.toPatch(entry.values, valuesOf(entry.was)) : ITEM.toBody(entry.values);
}

export const isChanged = (entry: Entry) => !entry.was || differs(ITEM, entry.values, valuesOf(entry.was));

export function treeOf(items: readonly MenuItem[]): Tree {
  const known = new Set(items.map(({ id }) => id));
  const entries = items.map((item) => ({
    id: item.id,
    parent: item.parent && known.has(item.parent.id) ? item.parent.id : null,
    was: item,
    values: valuesOf(item),
    errors: {},
  }));
  return inOrder(entries);
}

/** What values by language have of their own. */
const TEXTS = ['translations'];

/** An item as it was saved, under what was typed since it was sent. */
export const saved = (entry: Entry, sent: FormValues, item: MenuItem): Entry => ({
  id: item.id,
  parent: entry.parent,
  was: item,
  values: mergeEdits(sent, entry.values, valuesOf(item), TEXTS).values,
  errors: {},
});

/**
 * The tree over the menu as it is now; `before` is the menu that it began with. What was changed here stays. An entry that
 * another person changed in the same field keeps the item that it began with, so that the server refuses to save it, until
 * `isAsked`: then it takes the newer one.
 */
export function followed(tree: Tree, before: Tree, items: readonly MenuItem[], isAsked: boolean): Tree {
  const theirs = treeOf(items);
  const ours = tree.flatMap((entry) => {
    const now = theirs.find(({ id }) => id === entry.id);
    if (now?.was && entry.was) return [overNewer(entry, entry.was, now.was, isAsked)];
    return isChanged(entry) ? [entry] : [];
  });
  const added = theirs.filter(({ id }) => !tree.some((entry) => entry.id === id));
  if (
    !isOtherOrder(theirs, before) ||
    isOtherOrder(
      tree.filter(({ was }) => was),
      before,
    )
  ) {
    return rooted([...ours, ...added]);
  }
  const inTheirOrder = theirs.map((now) => {
    const own = ours.find(({ id }) => id === now.id);
    return own ? { ...own, parent: now.parent } : now;
  });
  return rooted([...inTheirOrder, ...ours.filter(({ id }) => !theirs.some((now) => now.id === id))]);
}

function overNewer(entry: Entry, was: MenuItem, now: MenuItem, isAsked: boolean): Entry {
  const { values, conflicts } = mergeEdits(valuesOf(was), entry.values, valuesOf(now), TEXTS);
  const both = { ...entry.conflicts, ...conflicts };
  if (Object.keys(conflicts).length > 0 && !isAsked) return { ...entry, conflicts: both };
  return { ...entry, was: now, values, conflicts: both };
}

/** Whether the items are in another order, or below others. */
export const isOtherOrder = (tree: Tree, before: Tree) =>
  JSON.stringify(orderOf(tree)) !== JSON.stringify(orderOf(before));

/** What was below an item that is gone is below nothing. */
function rooted(tree: Tree): Tree {
  const known = new Set(tree.map(({ id }) => id));
  return inOrder(tree.map((entry) => (entry.parent && !known.has(entry.parent) ? { ...entry, parent: null } : entry)));
}

export function nameOf(entry: Entry): string {
  return parseTexts(entry.values.translations ?? '').en?.name?.trim() ?? '';
}

export function depthOf(tree: Tree, entry: Entry): number {
  const parent = tree.find(({ id }) => id === entry.parent);
  return parent ? depthOf(tree, parent) + 1 : 1;
}

/** An entry and everything below it. */
function branch(tree: Tree, id: number): Tree {
  const own = tree.filter((entry) => entry.id === id);
  return own.concat(tree.filter(({ parent }) => parent === id).flatMap((child) => branch(tree, child.id)));
}

function height(tree: Tree, id: number): number {
  const below = tree.filter(({ parent }) => parent === id).map((child) => height(tree, child.id));
  return 1 + Math.max(0, ...below);
}

/** Children stand behind their parents. */
function inOrder(tree: Tree): Tree {
  return tree.filter(({ parent }) => parent === null).flatMap((top) => branch(tree, top.id));
}

/** Moves an entry, with all below it, among those that stand below the same. */
export function moved(tree: Tree, from: number, to: number): Tree {
  const [entry, target] = [tree[from], tree[to]];
  if (!entry || !target) return tree;
  const siblings = tree.filter(({ parent }) => parent === entry.parent);
  // What was pointed at may stand deeper: then it is the sibling that it stands below.
  const under = (candidate: Entry): Entry | undefined => {
    if (candidate.parent === entry.parent) return candidate;
    const parent = tree.find(({ id }) => id === candidate.parent);
    return parent && under(parent);
  };
  const goal = under(target);
  if (!goal) return tree;
  if (goal.id === entry.id) return to > from ? step(tree, siblings, entry, 1) : tree;
  return placed(tree, siblings, entry, siblings.indexOf(goal));
}

function step(tree: Tree, siblings: Tree, entry: Entry, by: number): Tree {
  return placed(tree, siblings, entry, siblings.indexOf(entry) + by);
}

function placed(tree: Tree, siblings: Tree, entry: Entry, at: number): Tree {
  if (at < 0 || at >= siblings.length) return tree;
  const others = siblings.filter(({ id }) => id !== entry.id);
  const order = [...others.slice(0, at), entry, ...others.slice(at)];
  const rest = tree.filter(({ parent }) => parent !== entry.parent);
  return inOrder([...rest, ...order]);
}

/** Below the one that stands before it at the same depth; nothing where it cannot be. */
export function indented(tree: Tree, id: number): Tree | null {
  const entry = tree.find((one) => one.id === id);
  const siblings = tree.filter(({ parent }) => parent === entry?.parent);
  const above = entry && siblings[siblings.indexOf(entry) - 1];
  if (!above || depthOf(tree, above) + height(tree, id) > DEEPEST) return null;
  const rest = tree.filter((one) => one.id !== id);
  return inOrder([...rest, { ...entry, parent: above.id }]);
}

/** Beside the one that it stands below, behind it. */
export function outdented(tree: Tree, id: number): Tree | null {
  const entry = tree.find((one) => one.id === id);
  const parent = tree.find((one) => one.id === entry?.parent);
  if (!entry || !parent) return null;
  const at = tree.indexOf(parent) + 1;
  const rest = tree.filter((one) => one.id !== id);
  return inOrder([...rest.slice(0, at), { ...entry, parent: parent.parent }, ...rest.slice(at)]);
}

export const orderOf = (tree: Tree) => tree.map(({ id, parent }) => ({ id, parent_id: parent }));
