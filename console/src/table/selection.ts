// Stores the selected rows outside of React, so that selecting a row renders only that row. The selection stays when the user opens
// another page, and is cleared when the user changes a filter.
import { useSyncExternalStore } from 'react';

export class Selection<Row extends { id: number }> {
  #ids = new Set<number>();
  #rows = new Map<number, Row>();
  #listeners = new Set<() => void>();
  #lastToggledId: number | null = null;
  /** Incremented with every change. */
  #version = 0;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  has = (id: number): boolean => this.#ids.has(id);
  getVersion = (): number => this.#version;
  get size(): number {
    return this.#ids.size;
  }
  get ids(): number[] {
    return [...this.#ids];
  }

  /** The selected rows that have been loaded. After "select all", only the ids of the other rows are known. */
  get loadedRows(): Row[] {
    return this.ids.flatMap((id) => this.#rows.get(id) ?? []);
  }

  /** Stores loaded rows, because their flags decide which actions are allowed. */
  storeLoadedRows(rows: readonly Row[]): void {
    for (const row of rows) this.#rows.set(row.id, row);
  }

  /** Toggles a row. With `isRange`, also toggles all rows between this row and the row that the user toggled last. */
  toggle(id: number, page: readonly Row[], isRange: boolean): void {
    const isSelected = !this.#ids.has(id);
    const pageIds = page.map((row) => row.id);
    const indexes = [pageIds.indexOf(this.#lastToggledId ?? id), pageIds.indexOf(id)];
    const firstIndex = Math.min(...indexes);
    const lastIndex = Math.max(...indexes);
    for (const rowId of isRange && firstIndex >= 0 ? pageIds.slice(firstIndex, lastIndex + 1) : [id])
      this.#set(rowId, isSelected);
    this.#lastToggledId = id;
    this.#notify();
  }

  /** Selects or deselects a whole page. */
  togglePage(page: readonly Row[], isSelected: boolean): void {
    for (const row of page) this.#set(row.id, isSelected);
    this.#notify();
  }

  /** Selects only these ids, such as the ids of all matching records, or of the records that a run has skipped. */
  replace(ids: readonly number[]): void {
    this.#ids = new Set(ids);
    this.#lastToggledId = null;
    this.#notify();
  }

  clear(): void {
    if (this.#ids.size > 0) this.replace([]);
  }

  #set(id: number, isSelected: boolean): void {
    if (isSelected) this.#ids.add(id);
    else this.#ids.delete(id);
  }

  #notify(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** Renders the component again whenever the selection changes. */
export function useSelection<Row extends { id: number }>(selection: Selection<Row>): Selection<Row> {
  useSyncExternalStore(selection.subscribe, selection.getVersion);
  return selection;
}

/** Renders the component again only when this row is selected or deselected. */
export function useIsSelected<Row extends { id: number }>(selection: Selection<Row>, id: number): boolean {
  return useSyncExternalStore(selection.subscribe, () => selection.has(id));
}
