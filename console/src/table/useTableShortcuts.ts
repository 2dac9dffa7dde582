// The keyboard shortcuts of a list: / focuses the search, j and k move the cursor, x selects the row, Enter opens the record, and
// Space shows the record in the side panel. The shortcuts are disabled while the user types or a dialog is open.
import { type RefObject, useEffect } from 'react';
import type { TableHandle } from './useTable';

interface ShortcutOptions<Row extends { id: number }> {
  table: TableHandle<Row>;
  scrollRef: RefObject<HTMLDivElement | null>;
  openRecord: (row: Row) => void;
  isPaused: boolean;
}

/** localStorage key of the preference that disables single-key shortcuts (WCAG 2.1.4). */
export const SHORTCUTS_DISABLED_STORAGE_KEY = 'panel.keysOff';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, select, [role=listbox], [role=menu], [role=dialog]') !== null
  );
}

export function useTableShortcuts<Row extends { id: number }>({
  table,
  scrollRef,
  openRecord,
  isPaused,
}: ShortcutOptions<Row>): void {
  useEffect(() => {
    const rows = table.rows ?? [];
    const findCursorElement = () => scrollRef.current?.querySelector<HTMLElement>('tr[data-cursor]') ?? null;
    const moveCursor = (step: number) => {
      const rowElements = [...(scrollRef.current?.querySelectorAll<HTMLElement>('tbody tr[data-id]') ?? [])];
      const currentRow = findCursorElement();
      const nextIndex = currentRow ? rowElements.indexOf(currentRow) + step : 0;
      const nextRow = rowElements[Math.min(Math.max(0, nextIndex), rowElements.length - 1)];
      currentRow?.removeAttribute('data-cursor');
      nextRow?.setAttribute('data-cursor', '');
      nextRow?.scrollIntoView({ block: 'nearest' });
      nextRow?.querySelector<HTMLElement>('.grid-box input')?.focus({ preventScroll: true });
    };
    const previewNext = (step: number) => {
      const nextRow = rows[rows.findIndex((row) => row.id === table.previewedId) + step];
      if (nextRow) table.previewRecord(nextRow.id);
    };
    const getCursorRow = () => rows.find((row) => String(row.id) === findCursorElement()?.dataset.id);
    const handlers: Record<string, () => void> = {
      '/': () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
      j: () => moveCursor(1),
      k: () => moveCursor(-1),
      x: () => {
        const row = getCursorRow();
        if (row && !table.isStale) table.selection.toggle(row.id, rows, false);
      },
      ' ': () => {
        const row = getCursorRow();
        if (row && table.list.getRecordUrl) table.previewRecord(table.previewedId === row.id ? null : row.id);
      },
      Enter: () => {
        const row = getCursorRow();
        if (row) openRecord(row);
      },
    };
    if (table.previewedId !== null) {
      handlers.ArrowUp = () => previewNext(-1);
      handlers.ArrowDown = () => previewNext(1);
      handlers.Escape = () => table.previewRecord(null);
    }
    const onKeyDown = (event: KeyboardEvent) => {
      if (isPaused || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (localStorage.getItem(SHORTCUTS_DISABLED_STORAGE_KEY)) return;
      // A focused button or link handles Enter and Space itself.
      const selector = event.key === 'Enter' ? 'a, button' : event.key === ' ' ? 'a, button, input' : '';
      if (selector && event.target instanceof HTMLElement && event.target.closest(selector)) return;
      const handler = handlers[event.key];
      if (!handler) return;
      event.preventDefault();
      handler();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [table, scrollRef, openRecord, isPaused]);
}
