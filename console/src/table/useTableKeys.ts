// Keyboard shortcuts in a list: / search, j k move, x select, Enter opens, Space shows the side panel. Disabled while the user
// types or a dialog is open.
import { type RefObject, useEffect } from 'react';
import type { AnyAction } from './action';
import type { TableHandle } from './useTable';

interface Options<Row extends { id: number }> {
  table: TableHandle<Row>;
  scroll: RefObject<HTMLDivElement | null>;
  open: (row: Row) => void;
  act: (action: AnyAction<Row>, row: Row) => void;
  paused: boolean;
}

/** localStorage key of the preference that disables single-key shortcuts (WCAG 2.1.4). */
export const KEYS_OFF = 'panel.keysOff';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, select, [role=listbox], [role=menu], [role=dialog]') !== null
  );
}

export function useTableKeys<Row extends { id: number }>({ table, scroll, open, paused }: Options<Row>): void {
  useEffect(() => {
    const rows = table.rows ?? [];
    const cursor = () => scroll.current?.querySelector<HTMLElement>('tr[data-cursor]') ?? null;
    const move = (by: number) => {
      const all = [...(scroll.current?.querySelectorAll<HTMLElement>('tbody tr[data-id]') ?? [])];
      const current = cursor();
      const next = all[Math.min(Math.max(0, current ? all.indexOf(current) + by : 0), all.length - 1)];
      current?.removeAttribute('data-cursor');
      next?.setAttribute('data-cursor', '');
      next?.scrollIntoView({ block: 'nearest' });
      next?.querySelector<HTMLElement>('.grid-box input')?.focus({ preventScroll: true });
    };
    const step = (by: number) => {
      const next = rows[rows.findIndex((row) => row.id === table.open) + by];
      if (next) table.peek(next.id);
    };
    const row = () => rows.find((row) => String(row.id) === cursor()?.dataset.id);
    const keys: Record<string, () => void> = {
      '/': () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
      j: () => move(1),
      k: () => move(-1),
      x: () => {
        const at = row();
        if (at && !table.stale) table.selection.toggle(at.id, rows, false);
      },
      ' ': () => {
        const at = row();
        if (at && table.list.open) table.peek(table.open === at.id ? null : at.id);
      },
      Enter: () => {
        const at = row();
        if (at) open(at);
      },
    };
    if (table.open !== null) {
      keys.ArrowUp = () => step(-1);
      keys.ArrowDown = () => step(1);
      keys.Escape = () => table.peek(null);
    }
    const press = (event: KeyboardEvent) => {
      if (paused || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (localStorage.getItem(KEYS_OFF)) return;
      // A focused button or link handles Enter and Space itself.
      const selector = event.key === 'Enter' ? 'a, button' : event.key === ' ' ? 'a, button, input' : '';
      if (selector && event.target instanceof HTMLElement && event.target.closest(selector)) return;
      const run = keys[event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [table, scroll, open, paused]);
}
