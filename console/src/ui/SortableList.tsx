// A list that is put in order: by dragging a row's handle, by the keys on it, or by the row's buttons. It only says what
// moved where; the order itself is its owner's. What moved is said aloud.
import { type ReactNode, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { count } from '@/i18n/format';
import { type Drag, SortableRow, type Sortable as Sorted } from './SortableRow';

export type Sortable = Sorted;

interface Props<Item extends Sortable> {
  label: string;
  items: readonly Item[];
  onMove: (from: number, to: number) => void;
  /** It cannot be sorted: it has no handles. */
  fixed?: boolean;
  chosen?: number | null;
  onChoose?: (item: Item) => void;
  /** What stands behind the name. */
  more?: (item: Item) => ReactNode;
  /** The first handle takes the focus of the dialog that it stands in. */
  first?: boolean;
}

export function SortableList<Item extends Sortable>(props: Props<Item>) {
  const { label, items, onMove, fixed = false, chosen, onChoose, more, first = false } = props;
  const { t } = useTranslation();
  const hint = useId();
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [said, setSaid] = useState('');
  const move = (from: number, to: number) => {
    const item = items[from];
    if (!item || from === to || to < 0 || to >= items.length) return;
    onMove(from, to);
    setSaid(t('ui.sort.moved', { name: item.name, place: count(to + 1), all: count(items.length) }));
  };
  // Rows are many and drawn again only when they themselves change: what they call stays the same from draw to draw.
  const now = useRef({ move, drag, onChoose });
  now.current = { move, drag, onChoose };
  const calls = useMemo(
    () => ({
      // The row was moved in the document: what was pressed keeps the focus and stays in sight.
      press(id: number, from: number, to: number, control: string) {
        now.current.move(from, to);
        requestAnimationFrame(() => {
          const row = list.current?.querySelector<HTMLElement>(`li[data-id="${id}"]`);
          row?.querySelector<HTMLElement>(control)?.focus();
          row?.scrollIntoView({ block: 'nearest' });
        });
      },
      choose: (item: Sortable) => now.current.onChoose?.(item as Item),
      take: (at: number) => setDrag({ from: at, over: at }),
      over: (at: number) => setDrag((before) => before && (before.over === at ? before : { ...before, over: at })),
      drop(at: number) {
        const from = now.current.drag?.from;
        if (from !== undefined) now.current.move(from, at);
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
            fixed={fixed}
            chosen={item.id === chosen}
            choosable={Boolean(onChoose)}
            first={first && at === 0}
            mark={drag && drag.over === at && drag.from !== at ? (drag.from < at ? 'below' : 'above') : undefined}
            more={more as ((item: Sortable) => ReactNode) | undefined}
            calls={calls}
          />
        ))}
      </ol>
      {!fixed && (
        <span id={hint} className="sr">
          {t('ui.sort.hint')}
        </span>
      )}
      <span className="sr" role="status">
        {said}
      </span>
    </>
  );
}
