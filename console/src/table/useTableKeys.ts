// Keys in a list: / search, j k row, x mark, Enter opens. Silent while someone types or a dialog is open.
import { type RefObject, useEffect } from 'react';
import type { Action } from './action';
import type { TableHandle } from './useTable';

interface Given<Row extends { id: number }> {
  table: TableHandle<Row>;
  scroll: RefObject<HTMLDivElement | null>;
  open: (row: Row) => void;
  act: (action: Action<Row>, row: Row) => void;
  paused: boolean;
}

/** Preferences may switch single keys off (WCAG 2.1.4). */
export const KEYS_OFF = 'panel.keysOff';

function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, select, [role=listbox], [role=menu], [role=dialog]') !== null
  );
}

export function useTableKeys<Row extends { id: number }>({ table, scroll, open, paused }: Given<Row>): void {
  useEffect(() => {
    const rows = table.rows ?? [];
    const cursor = () => scroll.current?.querySelector<HTMLElement>('tr[data-cursor]') ?? null;
    const move = (by: number) => {
      const all = [...(scroll.current?.querySelectorAll<HTMLElement>('tbody tr[data-id]') ?? [])];
      const now = cursor();
      const next = all[Math.min(Math.max(0, now ? all.indexOf(now) + by : 0), all.length - 1)];
      now?.removeAttribute('data-cursor');
      next?.setAttribute('data-cursor', '');
      next?.scrollIntoView({ block: 'nearest' });
      next?.querySelector<HTMLElement>('.grid-box input')?.focus({ preventScroll: true });
    };
    const row = () => rows.find((row) => String(row.id) === cursor()?.dataset.id);
    const keys: Record<string, () => void> = {
      '/': () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
      j: () => move(1),
      k: () => move(-1),
      x: () => {
        const at = row();
        if (at) table.selection.toggle(at.id, rows, false);
      },
      Enter: () => {
        const at = row();
        if (at) open(at);
      },
    };
    const press = (event: KeyboardEvent) => {
      if (paused || typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (localStorage.getItem(KEYS_OFF)) return;
      // A focused button or link has its own Enter.
      if (event.key === 'Enter' && event.target instanceof HTMLElement && event.target.closest('a, button')) return;
      const run = keys[event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [table, scroll, open, paused]);
}
