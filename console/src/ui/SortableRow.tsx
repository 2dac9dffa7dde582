// A row of a sortable list: handle, position, name, additional content, and buttons to move it up or down.
import { type KeyboardEvent, memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';

export interface Sortable {
  id: number;
  name: string;
}

/** The dragged row and the row under the pointer, by index. */
export interface Drag {
  from: number;
  over: number;
}

interface RowHandlers {
  press: (id: number, from: number, to: number, control: string) => void;
  select: (item: Sortable) => void;
  startDrag: (at: number) => void;
  over: (at: number) => void;
  drop: (at: number) => void;
  leave: () => void;
}

interface Props {
  item: Sortable;
  at: number;
  last: number;
  hint: string;
  isReadOnly: boolean;
  isSelected: boolean;
  isSelectable: boolean;
  autoFocus: boolean;
  dropMark: 'above' | 'below' | undefined;
  renderExtra: ((item: Sortable) => ReactNode) | undefined;
  handlers: RowHandlers;
}

const PAGE_STEP = 10;

/** The target index of a key; null for keys that do not move the row. */
export function placeAfter(key: string, at: number, length: number): number | null {
  const to = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    PageUp: at - PAGE_STEP,
    PageDown: at + PAGE_STEP,
    Home: 0,
    End: length - 1,
  }[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), length - 1);
}

export const SortableRow = memo(function SortableRow(props: Props) {
  const { item, at, isReadOnly, isSelected, isSelectable, dropMark, renderExtra, handlers } = props;
  return (
    <li
      data-id={item.id}
      data-chosen={isSelected || undefined}
      data-over={dropMark}
      onDragOver={(event) => {
        event.preventDefault();
        handlers.over(at);
      }}
      onDrop={(event) => {
        event.preventDefault();
        handlers.drop(at);
      }}
    >
      {!isReadOnly && <Handle {...props} />}
      <span className="sort-place">{formatNumber(at + 1)}</span>
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

function Handle({ item, at, last, hint, autoFocus, handlers }: Props) {
  const { t } = useTranslation();
  const press = (event: KeyboardEvent) => {
    const to = placeAfter(event.key, at, last + 1);
    if (to === null) return;
    event.preventDefault();
    handlers.press(item.id, at, to, '.sort-handle');
  };
  return (
    <button
      type="button"
      className="sort-handle"
      draggable
      aria-label={t('ui.sort.move', { name: item.name })}
      aria-describedby={hint}
      data-autofocus={autoFocus || undefined}
      onKeyDown={press}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', item.name);
        handlers.startDrag(at);
      }}
      onDragEnd={handlers.leave}
    >
      <i className="pi pi-bars" aria-hidden />
    </button>
  );
}

/** Move buttons, for users who can neither drag nor use the keyboard. */
function MoveButtons({ item, at, last, handlers }: Props) {
  const { t } = useTranslation();
  const steps = [
    { name: 'up', to: at - 1, label: t('ui.sort.up', { name: item.name }) },
    { name: 'down', to: at + 1, label: t('ui.sort.down', { name: item.name }) },
  ];
  return (
    <span className="sort-steps">
      {steps.map(({ name, to, label }) => (
        <button
          key={name}
          type="button"
          className={`sort-step sort-${name}`}
          aria-label={label}
          aria-disabled={to < 0 || to > last || undefined}
          onClick={() => handlers.press(item.id, at, to, `.sort-${name}`)}
        >
          <i className={`pi pi-angle-${name}`} aria-hidden />
        </button>
      ))}
    </span>
  );
}
