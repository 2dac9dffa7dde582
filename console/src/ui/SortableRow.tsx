// A row of a sortable list: handle, position, name, additional content, and buttons to move it up or down.
import { type KeyboardEvent, memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';

export interface Sortable {
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
  moveAndFocus: (id: number, from: number, to: number, controlSelector: string) => void;
  select: (item: Sortable) => void;
  startDrag: (index: number) => void;
  dragOver: (index: number) => void;
  drop: (index: number) => void;
  endDrag: () => void;
}

interface Props {
  item: Sortable;
  index: number;
  lastIndex: number;
  /** Id of the element that explains the keys to screen readers. */
  hintId: string;
  isReadOnly: boolean;
  isSelected: boolean;
  isSelectable: boolean;
  autoFocus: boolean;
  dropMark: 'above' | 'below' | undefined;
  renderExtra: ((item: Sortable) => ReactNode) | undefined;
  handlers: RowHandlers;
}

/** How many positions the page keys move a row. */
const PAGE_STEP = 10;

/** The index to which a key moves the row; null for keys that do not move it. */
export function targetIndexOfKey(key: string, index: number, length: number): number | null {
  const target = {
    ArrowUp: index - 1,
    ArrowDown: index + 1,
    PageUp: index - PAGE_STEP,
    PageDown: index + PAGE_STEP,
    Home: 0,
    End: length - 1,
  }[key];
  return target === undefined ? null : Math.min(Math.max(target, 0), length - 1);
}

export const SortableRow = memo(function SortableRow(props: Props) {
  const { item, index, isReadOnly, isSelected, isSelectable, dropMark, renderExtra, handlers } = props;
  return (
    <li
      data-id={item.id}
      data-chosen={isSelected || undefined}
      data-over={dropMark}
      onDragOver={(event) => {
        event.preventDefault();
        handlers.dragOver(index);
      }}
      onDrop={(event) => {
        event.preventDefault();
        handlers.drop(index);
      }}
    >
      {!isReadOnly && <Handle {...props} />}
      <span className="sort-place">{formatNumber(index + 1)}</span>
      {isSelectable ? (
        <button type="button" className="sort-name" aria-pressed={isSelected} onClick={() => handlers.select(item)}>
          {item.name}
        </button>
      ) : (
        <span className="sort-name">{item.name}</span>
      )}
      {renderExtra?.(item)}
      {!isReadOnly && <MoveButtons {...props} />}
    </li>
  );
});

function Handle({ item, index, lastIndex, hintId, autoFocus, handlers }: Props) {
  const { t } = useTranslation();
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetIndexOfKey(event.key, index, lastIndex + 1);
    if (target === null) return;
    event.preventDefault();
    handlers.moveAndFocus(item.id, index, target, '.sort-handle');
  };
  return (
    <button
      type="button"
      className="sort-handle"
      draggable
      aria-label={t('ui.sort.move', { name: item.name })}
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

/** For users who can neither drag nor use a keyboard. */
function MoveButtons({ item, index, lastIndex, handlers }: Props) {
  const { t } = useTranslation();
  const directions = [
    { name: 'up', target: index - 1, label: t('ui.sort.up', { name: item.name }) },
    { name: 'down', target: index + 1, label: t('ui.sort.down', { name: item.name }) },
  ];
  return (
    <span className="sort-steps">
      {directions.map(({ name, target, label }) => (
        <button
          key={name}
          type="button"
          className={`sort-step sort-${name}`}
          aria-label={label}
          aria-disabled={target < 0 || target > lastIndex || undefined}
          onClick={() => handlers.moveAndFocus(item.id, index, target, `.sort-${name}`)}
        >
          <i className={`pi pi-angle-${name}`} aria-hidden />
        </button>
      ))}
    </span>
  );
}
