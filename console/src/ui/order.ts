/** The list after one of its items went from a place to another. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const left = items.filter((_, at) => at !== from);
  return [...left.slice(0, to), ...items.slice(from, from + 1), ...left.slice(to)];
}
