/** The list after one of its items went from a place to another. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const left = items.filter((_, at) => at !== from);
  return [...left.slice(0, to), ...items.slice(from, from + 1), ...left.slice(to)];
}

interface Placed {
  id: number;
}

/** The order that somebody made, on top of the list as it is now: what is gone goes, what is new comes behind the one
 * that it follows there. */
export function reordered<Item extends Placed>(mine: readonly Placed[], now: readonly Item[]): Item[] {
  const here = new Map(now.map((item) => [item.id, item]));
  const known = new Set(mine.map(({ id }) => id));
  const merged = mine.flatMap(({ id }) => here.get(id) ?? []);
  now.forEach((item, at) => {
    if (known.has(item.id)) return;
    const before = now[at - 1];
    const place = before ? merged.findIndex(({ id }) => id === before.id) + 1 : 0;
    merged.splice(place, 0, item);
  });
  return merged;
}
