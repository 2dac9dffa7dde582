// The visible columns and their order, stored per list in the browser. A new column has its declared visibility.
import { useCallback, useMemo, useState } from 'react';
import { useHasPermission } from '@/session/hooks';
import type { Column, List } from './listDefinition';

interface ColumnLayout {
  order: readonly string[];
  hidden: readonly string[];
}

const key = (name: string) => `panel.columns.${name}`;

function storedLayout(name: string): ColumnLayout | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key(name)) ?? 'null');
    const layout = value as ColumnLayout | null;
    return Array.isArray(layout?.order) && Array.isArray(layout.hidden) ? layout : null;
  } catch {
    return null;
  }
}

/** All columns in order, and the visible ones among them. */
export function arrange<Row>(columns: readonly Column<Row>[], layout: ColumnLayout | null) {
  const position = (column: Column<Row>, at: number) => {
    const stored = layout?.order.indexOf(column.name) ?? -1;
    return stored < 0 ? at : stored;
  };
  const all = columns
    .map((column, at) => ({ column, position: position(column, at), at }))
    .sort((a, b) => a.position - b.position || a.at - b.at)
    .map(({ column }) => column);
  const isNew = (column: Column<Row>) => !layout?.order.includes(column.name);
  const shown = all.filter((column) =>
    layout && !isNew(column) ? !layout.hidden.includes(column.name) : !column.hidden,
  );
  return { all, shown };
}

export function useColumns<Row extends { id: number }>(list: List<Row>) {
  const may = useHasPermission();
  const [layout, setLayout] = useState(() => storedLayout(list.name));
  const permitted = useMemo(
    () => list.columns.filter((column) => !column.permission || may(column.permission)),
    [list, may],
  );
  const { all, shown } = useMemo(
    () =>
      arrange(
        permitted.filter((column) => !column.filterOnly),
        layout,
      ),
    [permitted, layout],
  );
  const hiddenFilterColumns = permitted.filter((column) => column.filter && !shown.includes(column));
  const change = useCallback(
    (next: ColumnLayout | null) => {
      if (next) localStorage.setItem(key(list.name), JSON.stringify(next));
      else localStorage.removeItem(key(list.name));
      setLayout(next);
    },
    [list],
  );
  /** Shows exactly `names` in that order; an empty list restores the declared columns. */
  const show = useCallback(
    (names: readonly string[]) => {
      if (names.length === 0) return change(null);
      const rest = list.columns.map((column) => column.name).filter((name) => !names.includes(name));
      change({ order: [...names, ...rest], hidden: rest });
    },
    [change, list],
  );
  return { all, shown, hiddenFilterColumns, show };
}
