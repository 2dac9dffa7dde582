// Which columns are shown, in which order, remembered per list. A column that is new shows by itself.
import { useCallback, useMemo, useState } from 'react';
import { useMay } from '@/session/hooks';
import type { Column, List } from './declare';

interface Arranged {
  order: readonly string[];
  hidden: readonly string[];
}

const key = (name: string) => `panel.columns.${name}`;

function stored(name: string): Arranged | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key(name)) ?? 'null');
    const known = value as Arranged | null;
    return Array.isArray(known?.order) && Array.isArray(known.hidden) ? known : null;
  } catch {
    return null;
  }
}

/** All permitted columns in order, and those shown among them. */
export function arrange<Row>(columns: readonly Column<Row>[], arranged: Arranged | null) {
  const place = (column: Column<Row>, at: number) => {
    const found = arranged?.order.indexOf(column.name) ?? -1;
    return found < 0 ? at : found;
  };
  const all = columns
    .map((column, at) => ({ column, place: place(column, at), at }))
    .sort((a, b) => a.place - b.place || a.at - b.at)
    .map(({ column }) => column);
  const isNew = (column: Column<Row>) => !arranged?.order.includes(column.name);
  const shown = all.filter((column) =>
    arranged && !isNew(column) ? !arranged.hidden.includes(column.name) : !column.hidden,
  );
  return { all, shown };
}

export function useColumns<Row extends { id: number }>(list: List<Row>) {
  const may = useMay();
  const [arranged, setArranged] = useState(() => stored(list.name));
  const permitted = useMemo(
    () => list.columns.filter((column) => !column.permission || may(column.permission)),
    [list, may],
  );
  const { all, shown } = useMemo(
    () =>
      arrange(
        permitted.filter((column) => !column.filterOnly),
        arranged,
      ),
    [permitted, arranged],
  );
  const unseen = permitted.filter((column) => column.filter && !shown.includes(column));
  const change = useCallback(
    (next: Arranged | null) => {
      if (next) localStorage.setItem(key(list.name), JSON.stringify(next));
      else localStorage.removeItem(key(list.name));
      setArranged(next);
    },
    [list],
  );
  /** Shows exactly `names` in that order; an empty list means as declared. */
  const show = useCallback(
    (names: readonly string[]) => {
      if (names.length === 0) return change(null);
      const rest = list.columns.map((column) => column.name).filter((name) => !names.includes(name));
      change({ order: [...names, ...rest], hidden: rest });
    },
    [change, list],
  );
  return { all, shown, unseen, show };
}
