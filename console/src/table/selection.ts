// The selected rows, in a store outside of React, so that selecting a row renders one row only. The selection survives paging, but
// not a changed filter.
import { useSyncExternalStore } from 'react';

export class Selection<Row extends { id: number }> {
  #ids = new Set<number>();
  #rows = new Map<number, Row>();
  #listeners = new Set<() => void>();
  #last: number | null = null;
  /** Incremented with every change. */
  #version = 0;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  has = (id: number): boolean => this.#ids.has(id);
  version = (): number => this.#version;
  get size(): number {
    return this.#ids.size;
  }
  get ids(): number[] {
    return [...this.#ids];
  }

  /** The selected rows that have been loaded; after "select all" only the ids of the others are known. */
  get loadedRows(): Row[] {
    return this.ids.flatMap((id) => this.#rows.get(id) ?? []);
  }

  /** Stores loaded rows, for the flags of their allowed actions. */
  rememberRows(rows: readonly Row[]): void {
    for (const row of rows) this.#rows.set(row.id, row);
  }

  /** Toggles one row; with `range` all rows from the last toggled one to it. */
  toggle(id: number, page: readonly Row[], range: boolean): void {
    const isSelected = !this.#ids.has(id);
    const ids = page.map((row) => row.id);
    const [from, to] = [ids.indexOf(this.#last ?? id), ids.indexOf(id)].sort((a, b) => a - b) as [number, number];
    for (const one of range && from >= 0 ? ids.slice(from, to + 1) : [id]) this.#set(one, isSelected);
    this.#last = id;
    this.#notify();
  }

  /** Selects or deselects a whole page. */
  togglePage(page: readonly Row[], isSelected: boolean): void {
    for (const row of page) this.#set(row.id, isSelected);
    this.#notify();
  }

  /** Selects exactly these ids, such as all matching records or those that a run has skipped. */
  replace(ids: readonly number[]): void {
    this.#ids = new Set(ids);
    this.#last = null;
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

/** Renders whenever the selection changes. */
export function useSelection<Row extends { id: number }>(selection: Selection<Row>): Selection<Row> {
  useSyncExternalStore(selection.subscribe, selection.version);
  return selection;
}

/** Renders only when the selection of this row changes. */
export function useIsSelected<Row extends { id: number }>(selection: Selection<Row>, id: number): boolean {
  return useSyncExternalStore(selection.subscribe, () => selection.has(id));
}
