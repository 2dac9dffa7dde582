// A sortable list: by dragging a row's handle, by keys on the handle, or by the row's buttons. The parent holds the order and gets
// moves by `onMove`. Moves are announced to screen readers.
import { type ReactNode, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';
import { type Drag, SortableRow, type Sortable as Sorted } from './SortableRow';

export type Sortable = Sorted;

interface Props<Item extends Sortable> {
  label: string;
  items: readonly Item[];
  onMove: (from: number, to: number) => void;
  /** Shows the order without handles. */
  isReadOnly?: boolean;
  selectedId?: number | null;
  onSelect?: (item: Item) => void;
  /** Content after the name. */
  renderExtra?: (item: Item) => ReactNode;
  /** Focuses the first handle when the surrounding dialog opens. */
  autoFocus?: boolean;
}

export function SortableList<Item extends Sortable>(props: Props<Item>) {
  const { label, items, onMove, isReadOnly = false, selectedId, onSelect, renderExtra, autoFocus = false } = props;
  const { t } = useTranslation();
  const hint = useId();
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const move = (from: number, to: number) => {
    const item = items[from];
    if (!item || from === to || to < 0 || to >= items.length) return;
    onMove(from, to);
    setAnnouncement(
      t('ui.sort.moved', { name: item.name, place: formatNumber(to + 1), all: formatNumber(items.length) }),
    );
  };
  // Rows are memoized: their handlers must keep their identity between renders, and read the latest values from a ref.
  const latest = useRef({ move, drag, onSelect });
  latest.current = { move, drag, onSelect };
  const handlers = useMemo(
    () => ({
      // The row has moved in the DOM: restore the focus of the pressed control and scroll to it.
      press(id: number, from: number, to: number, control: string) {
        latest.current.move(from, to);
        requestAnimationFrame(() => {
          const row = list.current?.querySelector<HTMLElement>(`li[data-id="${id}"]`);
          row?.querySelector<HTMLElement>(control)?.focus();
          row?.scrollIntoView({ block: 'nearest' });
        });
      },
      select: (item: Sortable) => latest.current.onSelect?.(item as Item),
      startDrag: (at: number) => setDrag({ from: at, over: at }),
      over: (at: number) => setDrag((before) => before && (before.over === at ? before : { ...before, over: at })),
      drop(at: number) {
        const from = latest.current.drag?.from;
        if (from !== undefined) latest.current.move(from, at);
        setDrag(null);
      },
      leave: () => setDrag(null),
    }),
    [],
  );
  return (
    <>
      <ol className="sortable" ref={list} aria-label={label}>
        {items.map((item, at) => (
          <SortableRow
            key={item.id}
            item={item}
            at={at}
            last={items.length - 1}
            hint={hint}
            isReadOnly={isReadOnly}
            isSelected={item.id === selectedId}
            isSelectable={Boolean(onSelect)}
            autoFocus={autoFocus && at === 0}
            dropMark={drag && drag.over === at && drag.from !== at ? (drag.from < at ? 'below' : 'above') : undefined}
            renderExtra={renderExtra as ((item: Sortable) => ReactNode) | undefined}
            handlers={handlers}
          />
        ))}
      </ol>
      {!isReadOnly && (
        <span id={hint} className="sr">
          {t('ui.sort.hint')}
        </span>
      )}
      <span className="sr" role="status">
        {announcement}
      </span>
    </>
  );
}
