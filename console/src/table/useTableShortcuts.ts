// Keyboard shortcuts in a list: / focuses the search, j and k move the cursor, x selects the row, Enter opens it, Space shows it in
// the side panel. They are disabled while the user types or a dialog is open.
import { type RefObject, useEffect } from 'react';
import type { TableHandle } from './useTable';

interface Options<Row extends { id: number }> {
  table: TableHandle<Row>;
  scroll: RefObject<HTMLDivElement | null>;
  openRecord: (row: Row) => void;
  isPaused: boolean;
}

/** localStorage key of the preference that disables single-key shortcuts (WCAG 2.1.4). */
export const SHORTCUTS_OFF_KEY = 'panel.keysOff';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, select, [role=listbox], [role=menu], [role=dialog]') !== null
  );
}

export function useTableShortcuts<Row extends { id: number }>({
  table,
  scroll,
  openRecord,
  isPaused,
}: Options<Row>): void {
  useEffect(() => {
    const rows = table.rows ?? [];
    const findCursorRow = () => scroll.current?.querySelector<HTMLElement>('tr[data-cursor]') ?? null;
    const moveCursor = (step: number) => {
      const rowElements = [...(scroll.current?.querySelectorAll<HTMLElement>('tbody tr[data-id]') ?? [])];
      const current = findCursorRow();
      const nextIndex = current ? rowElements.indexOf(current) + step : 0;
      const next = rowElements[Math.min(Math.max(0, nextIndex), rowElements.length - 1)];
      current?.removeAttribute('data-cursor');
      next?.setAttribute('data-cursor', '');
      next?.scrollIntoView({ block: 'nearest' });
      next?.querySelector<HTMLElement>('.grid-box input')?.focus({ preventScroll: true });
    };
    const showNext = (step: number) => {
      const next = rows[rows.findIndex((row) => row.id === table.openId) + step];
      if (next) table.peek(next.id);
    };
    const cursorRow = () => rows.find((row) => String(row.id) === findCursorRow()?.dataset.id);
    const keys: Record<string, () => void> = {
      '/': () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
      j: () => moveCursor(1),
      k: () => moveCursor(-1),
      x: () => {
        const row = cursorRow();
        if (row && !table.stale) table.selection.toggle(row.id, rows, false);
      },
      ' ': () => {
        const row = cursorRow();
        if (row && table.list.recordUrl) table.peek(table.openId === row.id ? null : row.id);
      },
      Enter: () => {
        const row = cursorRow();
        if (row) openRecord(row);
      },
    };
    if (table.openId !== null) {
      keys.ArrowUp = () => showNext(-1);
      keys.ArrowDown = () => showNext(1);
      keys.Escape = () => table.peek(null);
    }
    const onKeyDown = (event: KeyboardEvent) => {
      if (isPaused || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (localStorage.getItem(SHORTCUTS_OFF_KEY)) return;
      // A focused button or link handles Enter and Space itself.
      const selector = event.key === 'Enter' ? 'a, button' : event.key === ' ' ? 'a, button, input' : '';
      if (selector && event.target instanceof HTMLElement && event.target.closest(selector)) return;
      const handler = keys[event.key];
      if (!handler) return;
      event.preventDefault();
      handler();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [table, scroll, openRecord, isPaused]);
}
