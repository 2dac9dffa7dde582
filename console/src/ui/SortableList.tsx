// A list that the user sorts: by dragging the handle of a row, by pressing keys on the handle, or with the buttons of the row. The
// parent component stores the sorting and changes it in `onMove`. Screen readers announce each move.
import { type ReactNode, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';
import { type DragState, type SortableItem, SortableRow } from './SortableRow';

export type { SortableItem } from './SortableRow';

interface Props<Item extends SortableItem> {
  label: string;
  items: readonly Item[];
  onMove: (fromIndex: number, toIndex: number) => void;
  /** Shows neither handles nor buttons. */
  isReadOnly?: boolean;
  selectedId?: number | null;
  onSelect?: (item: Item) => void;
  /** Renders content after the name of a row. */
  renderAfterName?: (item: Item) => ReactNode;
  /** Focuses the first handle when the surrounding dialog opens. */
  autoFocus?: boolean;
}

export function SortableList<Item extends SortableItem>(props: Props<Item>) {
  const { label, items, onMove, isReadOnly = false, selectedId, onSelect, renderAfterName, autoFocus = false } = props;
  const { t } = useTranslation();
  const hintId = useId();
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<DragState | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const move = (fromIndex: number, toIndex: number) => {
    const item = items[fromIndex];
    if (!item || fromIndex === toIndex || toIndex < 0 || toIndex >= items.length) return;
    onMove(fromIndex, toIndex);
    setAnnouncement(
      t('ui.sort.moved', { name: item.name, position: formatNumber(toIndex + 1), total: formatNumber(items.length) }),
    );
  };
  // Rows are memoized, so the handlers must be the same objects in every render: they read the latest values from this ref.
  const latestValues = useRef({ move, drag, onSelect });
  latestValues.current = { move, drag, onSelect };
  const handlers = useMemo(
    () => ({
      // The row moves in the DOM, so afterwards the pressed control needs the focus again.
      moveAndFocus(id: number, fromIndex: number, toIndex: number, controlSelector: string) {
        latestValues.current.move(fromIndex, toIndex);
        requestAnimationFrame(() => {
          const row = list.current?.querySelector<HTMLElement>(`li[data-id="${id}"]`);
          row?.querySelector<HTMLElement>(controlSelector)?.focus();
          row?.scrollIntoView({ block: 'nearest' });
        });
      },
      select: (item: SortableItem) => latestValues.current.onSelect?.(item as Item),
      startDrag: (index: number) => setDrag({ fromIndex: index, overIndex: index }),
      dragOver: (index: number) =>
        setDrag((drag) => drag && (drag.overIndex === index ? drag : { ...drag, overIndex: index })),
      drop(index: number) {
        const fromIndex = latestValues.current.drag?.fromIndex;
        if (fromIndex !== undefined) latestValues.current.move(fromIndex, index);
        setDrag(null);
      },
      endDrag: () => setDrag(null),
    }),
    [],
  );
  return (
    <>
      <ol className="sortable" ref={list} aria-label={label}>
        {items.map((item, index) => (
          <SortableRow
            key={item.id}
            item={item}
            index={index}
            lastIndex={items.length - 1}
            hintId={hintId}
            isReadOnly={isReadOnly}
            isSelected={item.id === selectedId}
            isSelectable={Boolean(onSelect)}
            autoFocus={autoFocus && index === 0}
            dropPosition={
              drag && drag.overIndex === index && drag.fromIndex !== index
                ? drag.fromIndex < index
                  ? 'below'
                  : 'above'
                : undefined
            }
            renderAfterName={renderAfterName as ((item: SortableItem) => ReactNode) | undefined}
            handlers={handlers}
          />
        ))}
      </ol>
      {!isReadOnly && (
        <span id={hintId} className="sr">
          {t('ui.sort.keyboardHint')}
        </span>
      )}
      <span className="sr" role="status">
        {announcement}
      </span>
    </>
  );
}
