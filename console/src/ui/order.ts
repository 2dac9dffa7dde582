/** A copy of the list with one item moved. */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const others = items.filter((_, at) => at !== from);
  return [...others.slice(0, to), ...items.slice(from, from + 1), ...others.slice(to)];
}

interface WithId {
  id: number;
}

/** Applies a user's order to the current list: deleted items are dropped, and new items follow the item that they follow in the
 * current list. */
export function applyOrder<Item extends WithId>(mine: readonly WithId[], current: readonly Item[]): Item[] {
  const byId = new Map(current.map((item) => [item.id, item]));
  const orderedIds = new Set(mine.map(({ id }) => id));
  const merged = mine.flatMap(({ id }) => byId.get(id) ?? []);
  current.forEach((item, at) => {
    if (orderedIds.has(item.id)) return;
    const before = current[at - 1];
    const place = before ? merged.findIndex(({ id }) => id === before.id) + 1 : 0;
    merged.splice(place, 0, item);
  });
  return merged;
}
