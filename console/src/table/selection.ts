// Which rows are marked, outside of React: ticking one draws one row. Survives paging, not a changed filter.
import { useSyncExternalStore } from 'react';

export class Selection<Row extends { id: number }> {
  #ids = new Set<number>();
  #rows = new Map<number, Row>();
  #listeners = new Set<() => void>();
  #last: number | null = null;
  /** A new number with every change. */
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

  /** The marked rows that were ever shown; of frozen ids only the numbers are known. */
  get known(): Row[] {
    return this.ids.flatMap((id) => this.#rows.get(id) ?? []);
  }

  /** Rows that are on the screen now, with what may be done to them now. */
  show(rows: readonly Row[]): void {
    for (const row of rows) this.#rows.set(row.id, row);
  }

  /** Marks or unmarks one; with `range` everything from the last one to it. */
  toggle(id: number, page: readonly Row[], range: boolean): void {
    const wanted = !this.#ids.has(id);
    const ids = page.map((row) => row.id);
    const [from, to] = [ids.indexOf(this.#last ?? id), ids.indexOf(id)].sort((a, b) => a - b) as [number, number];
    for (const one of range && from >= 0 ? ids.slice(from, to + 1) : [id]) this.#mark(one, wanted);
    this.#last = id;
    this.#tell();
  }

  /** Marks or unmarks a whole page. */
  togglePage(page: readonly Row[], wanted: boolean): void {
    for (const row of page) this.#mark(row.id, wanted);
    this.#tell();
  }

  /** Exactly these: all that matched at one moment, or what a run has skipped. */
  freeze(ids: readonly number[]): void {
    this.#ids = new Set(ids);
    this.#last = null;
    this.#tell();
  }

  clear(): void {
    if (this.#ids.size > 0) this.freeze([]);
  }

  #mark(id: number, wanted: boolean): void {
    if (wanted) this.#ids.add(id);
    else this.#ids.delete(id);
  }

  #tell(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** Draws again whenever anything about the selection changes. */
export function useSelection<Row extends { id: number }>(selection: Selection<Row>): Selection<Row> {
  useSyncExternalStore(selection.subscribe, selection.version);
  return selection;
}

/** Draws again only when this row changes. */
export function useMarked<Row extends { id: number }>(selection: Selection<Row>, id: number): boolean {
  return useSyncExternalStore(selection.subscribe, () => selection.has(id));
}
