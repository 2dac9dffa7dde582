// A list that is put in order: by dragging, or by the arrow keys on a row's handle. It only says what moved where; the
// order itself is its owner's.
import { type DragEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { count } from '@/i18n/format';

interface Props<Item extends { id: number; name: string }> {
  label: string;
  items: readonly Item[];
  onMove: (from: number, to: number) => void;
  /** Why it cannot be sorted; nothing when it can. */
  fixed?: boolean;
  chosen?: number | null;
  onChoose?: (item: Item) => void;
  /** What stands behind the name. */
  more?: (item: Item) => ReactNode;
}

const PAGE = 10;

/** Where a key takes a row; nothing for keys that move nothing. */
export function placeAfter(key: string, at: number, length: number): number | null {
  const to = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    PageUp: at - PAGE,
    PageDown: at + PAGE,
    Home: 0,
    End: length - 1,
  }[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), length - 1);
}

export function SortableList<Item extends { id: number; name: string }>(props: Props<Item>) {
  const { label, items, onMove, fixed = false, chosen, onChoose, more } = props;
  const { t } = useTranslation();
  const hint = useId();
  const list = useRef<HTMLOListElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [said, setSaid] = useState('');
  const move = (from: number, to: number) => {
    const item = items[from];
    if (!item || from === to) return;
    onMove(from, to);
    setSaid(t('ui.sort.moved', { name: item.name, place: count(to + 1), all: count(items.length) }));
  };
  const byKey = (event: KeyboardEvent, at: number) => {
    const to = placeAfter(event.key, at, items.length);
    if (to === null) return;
    event.preventDefault();
    move(at, to);
    // The row was moved in the document: its handle keeps the focus and stays in sight.
    const { id } = items[at] ?? {};
    requestAnimationFrame(() => {
      const handle = list.current?.querySelector<HTMLElement>(`li[data-id="${id}"] .sort-handle`);
      handle?.focus();
      handle?.scrollIntoView({ block: 'nearest' });
    });
  };
  const drop = (event: DragEvent, at: number) => {
    event.preventDefault();
    if (dragged !== null) move(dragged, at);
    setDragged(null);
    setOver(null);
  };
  return (
    <>
      <ol className="sortable" ref={list} aria-label={label}>
        {items.map((item, at) => (
          <li
            key={item.id}
            data-id={item.id}
            data-chosen={item.id === chosen || undefined}
            data-over={
              over === at && dragged !== null && dragged !== at ? (dragged < at ? 'below' : 'above') : undefined
            }
            onDragOver={(event) => {
              event.preventDefault();
              setOver(at);
            }}
            onDrop={(event) => drop(event, at)}
          >
            {!fixed && (
              <button
                type="button"
                className="sort-handle"
                draggable
                aria-label={t('ui.sort.move', { name: item.name })}
                aria-describedby={hint}
                onKeyDown={(event) => byKey(event, at)}
                onDragStart={(event) => {
                  event.dataTransfer.effectAllowed = 'move';
                  event.dataTransfer.setData('text/plain', item.name);
                  setDragged(at);
                }}
                onDragEnd={() => {
                  setDragged(null);
                  setOver(null);
                }}
              >
                <i className="pi pi-bars" aria-hidden />
              </button>
            )}
            {onChoose ? (
              <button
                type="button"
                className="sort-name"
                aria-pressed={item.id === chosen}
                onClick={() => onChoose(item)}
              >
                {item.name}
              </button>
            ) : (
              <span className="sort-name">{item.name}</span>
            )}
            {more?.(item)}
          </li>
        ))}
      </ol>
      <span id={hint} className="sr">
        {t('ui.sort.hint')}
      </span>
      <span className="sr" role="status">
        {said}
      </span>
    </>
  );
}
