// The column layout of a list: which columns the user has made visible, and in which order. The browser stores one layout per list.
// A column that is not in the stored layout has its declared visibility.
import { useCallback, useMemo, useState } from 'react';
import { useHasPermission } from '@/session/hooks';
import type { Column, List } from './listDefinition';

interface ColumnLayout {
  order: readonly string[];
  hidden: readonly string[];
}

const getStorageKey = (name: string) => `panel.columns.${name}`;

function readLayout(name: string): ColumnLayout | null {
  try {
    const storedValue: unknown = JSON.parse(localStorage.getItem(getStorageKey(name)) ?? 'null');
    const layout = storedValue as ColumnLayout | null;
    return Array.isArray(layout?.order) && Array.isArray(layout.hidden) ? layout : null;
  } catch {
    return null;
  }
}

/** Sorts the columns by the layout. Returns all columns, and only the visible columns. */
export function applyLayout<Row>(columns: readonly Column<Row>[], layout: ColumnLayout | null) {
  const getPosition = (column: Column<Row>, declaredIndex: number) => {
    const storedIndex = layout?.order.indexOf(column.name) ?? -1;
    return storedIndex < 0 ? declaredIndex : storedIndex;
  };
  const sortedColumns = columns
    .map((column, declaredIndex) => ({ column, position: getPosition(column, declaredIndex), declaredIndex }))
    .sort((a, b) => a.position - b.position || a.declaredIndex - b.declaredIndex)
    .map(({ column }) => column);
  const isNew = (column: Column<Row>) => !layout?.order.includes(column.name);
  const visibleColumns = sortedColumns.filter((column) =>
    layout && !isNew(column) ? !layout.hidden.includes(column.name) : !column.hidden,
  );
  return { columns: sortedColumns, visibleColumns };
}

export function useColumns<Row extends { id: number }>(list: List<Row>) {
  const hasPermission = useHasPermission();
  const [layout, setLayout] = useState(() => readLayout(list.name));
  const permittedColumns = useMemo(
    () => list.columns.filter((column) => !column.permission || hasPermission(column.permission)),
    [list, hasPermission],
  );
  const { columns, visibleColumns } = useMemo(
    () =>
      applyLayout(
        permittedColumns.filter((column) => !column.filterOnly),
        layout,
      ),
    [permittedColumns, layout],
  );
  const hiddenFilterColumns = permittedColumns.filter((column) => column.filter && !visibleColumns.includes(column));
  const storeLayout = useCallback(
    (newLayout: ColumnLayout | null) => {
      if (newLayout) localStorage.setItem(getStorageKey(list.name), JSON.stringify(newLayout));
      else localStorage.removeItem(getStorageKey(list.name));
      setLayout(newLayout);
    },
    [list],
  );
  /** Shows the columns `names` in this order, and hides all other columns. An empty list restores the declared columns. */
  const setVisibleColumns = useCallback(
    (names: readonly string[]) => {
      if (names.length === 0) return storeLayout(null);
      const hiddenNames = list.columns.map((column) => column.name).filter((name) => !names.includes(name));
      storeLayout({ order: [...names, ...hiddenNames], hidden: hiddenNames });
    },
    [storeLayout, list],
  );
  return { columns, visibleColumns, hiddenFilterColumns, setVisibleColumns };
}
