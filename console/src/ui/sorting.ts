// Functions for lists whose order the user changes.

/** Returns a copy of the list in which the item at `fromIndex` is at `toIndex`. */
export function moveItem<Item>(items: readonly Item[], fromIndex: number, toIndex: number): Item[] {
  const otherItems = items.filter((_, index) => index !== fromIndex);
  return [...otherItems.slice(0, toIndex), ...items.slice(fromIndex, fromIndex + 1), ...otherItems.slice(toIndex)];
}

interface WithId {
  id: number;
}

/**
 * Applies the user's sorting to the current list. Deleted items are dropped, and a new item is placed after the item that precedes
 * the new item in the current list.
 */
export function applySorting<Item extends WithId>(
  userSorting: readonly WithId[],
  currentItems: readonly Item[],
): Item[] {
  const currentItemsById = new Map(currentItems.map((item) => [item.id, item]));
  const sortedIds = new Set(userSorting.map(({ id }) => id));
  const sortedItems = userSorting.flatMap(({ id }) => currentItemsById.get(id) ?? []);
  currentItems.forEach((item, index) => {
    if (sortedIds.has(item.id)) return;
    const previousItem = currentItems[index - 1];
    const insertIndex = previousItem ? sortedItems.findIndex(({ id }) => id === previousItem.id) + 1 : 0;
    sortedItems.splice(insertIndex, 0, item);
  });
  return sortedItems;
}
