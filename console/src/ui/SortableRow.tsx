// A row of a sortable list: handle, position, name, additional content, and buttons to move it up or down.
import { type KeyboardEvent, memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';

export interface SortableItem {
  id: number;
  name: string;
}

export interface DragState {
  /** Index of the dragged row. */
  fromIndex: number;
  /** Index of the row under the pointer. */
  overIndex: number;
}

interface RowHandlers {
  moveAndFocus: (id: number, fromIndex: number, toIndex: number, controlSelector: string) => void;
  select: (item: SortableItem) => void;
  startDrag: (index: number) => void;
  dragOver: (index: number) => void;
  drop: (index: number) => void;
  endDrag: () => void;
}

interface Props {
  item: SortableItem;
  index: number;
  lastIndex: number;
  /** Id of the element with the text that explains the keys to screen reader users. */
  hintId: string;
  isReadOnly: boolean;
  isSelected: boolean;
  isSelectable: boolean;
  autoFocus: boolean;
  dropPosition: 'above' | 'below' | undefined;
  renderAfterName: ((item: SortableItem) => ReactNode) | undefined;
  handlers: RowHandlers;
}

/** The number of positions that Page Up and Page Down move a row. */
const PAGE_KEY_STEP = 10;

/** Returns the index to which a key moves the row, or null if the key does not move rows. */
export function getTargetIndex(key: string, index: number, length: number): number | null {
  const targetIndex = {
    ArrowUp: index - 1,
    ArrowDown: index + 1,
    PageUp: index - PAGE_KEY_STEP,
    PageDown: index + PAGE_KEY_STEP,
    Home: 0,
    End: length - 1,
  }[key];
  return targetIndex === undefined ? null : Math.min(Math.max(targetIndex, 0), length - 1);
}

export const SortableRow = memo(function SortableRow(props: Props) {
  const { item, index, isReadOnly, isSelected, isSelectable, dropPosition, renderAfterName, handlers } = props;
  return (
    <li
      data-id={item.id}
      data-chosen={isSelected || undefined}
      data-over={dropPosition}
      onDragOver={(event) => {
        event.preventDefault();
        handlers.dragOver(index);
      }}
      onDrop={(event) => {
        event.preventDefault();
        handlers.drop(index);
      }}
    >
      {!isReadOnly && <DragHandle {...props} />}
      <span className="sort-place">{formatNumber(index + 1)}</span>
      {isSelectable ? (
        <button type="button" className="sort-name" aria-pressed={isSelected} onClick={() => handlers.select(item)}>
          {item.name}
        </button>
      ) : (
        <span className="sort-name">{item.name}</span>
      )}
      {renderAfterName?.(item)}
      {!isReadOnly && <MoveButtons {...props} />}
    </li>
  );
});

function DragHandle({ item, index, lastIndex, hintId, autoFocus, handlers }: Props) {
  const { t } = useTranslation();
  const onKeyDown = (event: KeyboardEvent) => {
    const targetIndex = getTargetIndex(event.key, index, lastIndex + 1);
    if (targetIndex === null) return;
    event.preventDefault();
    handlers.moveAndFocus(item.id, index, targetIndex, '.sort-handle');
  };
  return (
    <button
      type="button"
      className="sort-handle"
      draggable
      aria-label={t('ui.sort.dragHandle', { name: item.name })}
      aria-describedby={hintId}
      data-autofocus={autoFocus || undefined}
      onKeyDown={onKeyDown}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', item.name);
        handlers.startDrag(index);
      }}
      onDragEnd={handlers.endDrag}
    >
      <i className="pi pi-bars" aria-hidden />
    </button>
  );
}

/** For users who can neither drag a row nor use a keyboard. */
function MoveButtons({ item, index, lastIndex, handlers }: Props) {
  const { t } = useTranslation();
  const directions = [
    { name: 'up', targetIndex: index - 1, label: t('ui.sort.up', { name: item.name }) },
    { name: 'down', targetIndex: index + 1, label: t('ui.sort.down', { name: item.name }) },
  ];
  return (
    <span className="sort-steps">
      {directions.map(({ name, targetIndex, label }) => (
        <button
          key={name}
          type="button"
          className={`sort-step sort-${name}`}
          aria-label={label}
          aria-disabled={targetIndex < 0 || targetIndex > lastIndex || undefined}
          onClick={() => handlers.moveAndFocus(item.id, index, targetIndex, `.sort-${name}`)}
        >
          <i className={`pi pi-angle-${name}`} aria-hidden />
        </button>
      ))}
    </span>
  );
}
