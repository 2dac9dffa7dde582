// Changes the sorting of lists.

/** Returns a copy of the list in which one item has moved. */
export function moveItem<Item>(items: readonly Item[], fromIndex: number, toIndex: number): Item[] {
  const others = items.filter((_, index) => index !== fromIndex);
  return [...others.slice(0, toIndex), ...items.slice(fromIndex, fromIndex + 1), ...others.slice(toIndex)];
}

interface WithId {
  id: number;
}

/**
 * Applies the user's sorting to the current list. Deleted items disappear, and a new item is placed after the item that precedes it
 * in the current list.
 */
export function applySorting<Item extends WithId>(userSorting: readonly WithId[], current: readonly Item[]): Item[] {
  const byId = new Map(current.map((item) => [item.id, item]));
  const sortedIds = new Set(userSorting.map(({ id }) => id));
  const sortedItems = userSorting.flatMap(({ id }) => byId.get(id) ?? []);
  current.forEach((item, index) => {
    if (sortedIds.has(item.id)) return;
    const previousItem = current[index - 1];
    const insertIndex = previousItem ? sortedItems.findIndex(({ id }) => id === previousItem.id) + 1 : 0;
    sortedItems.splice(insertIndex, 0, item);
  });
  return sortedItems;
}
