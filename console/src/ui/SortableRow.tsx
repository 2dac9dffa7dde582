// One row of a sortable list: its handle, its place, its name, what its owner adds, and a step up or down.
import { type KeyboardEvent, memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { count } from '@/i18n/format';

export interface Sortable {
  id: number;
  name: string;
}

/** Which row is dragged, and over which it is. */
export interface Drag {
  from: number;
  over: number;
}

interface Calls {
  press: (id: number, from: number, to: number, control: string) => void;
  choose: (item: Sortable) => void;
  take: (at: number) => void;
  over: (at: number) => void;
  drop: (at: number) => void;
  leave: () => void;
}

interface Props {
  item: Sortable;
  at: number;
  last: number;
  hint: string;
  fixed: boolean;
  chosen: boolean;
  choosable: boolean;
  first: boolean;
  mark: 'above' | 'below' | undefined;
  more: ((item: Sortable) => ReactNode) | undefined;
  calls: Calls;
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

export const SortableRow = memo(function SortableRow(props: Props) {
  const { item, at, fixed, chosen, choosable, mark, more, calls } = props;
  return (
    <li
      data-id={item.id}
      data-chosen={chosen || undefined}
      data-over={mark}
      onDragOver={(event) => {
        event.preventDefault();
        calls.over(at);
      }}
      onDrop={(event) => {
        event.preventDefault();
        calls.drop(at);
      }}
    >
      {!fixed && <Handle {...props} />}
      <span className="sort-place">{count(at + 1)}</span>
      {choosable ? (
        <button type="button" className="sort-name" aria-pressed={chosen} onClick={() => calls.choose(item)}>
          {item.name}
        </button>
      ) : (
        <span className="sort-name">{item.name}</span>
      )}
      {more?.(item)}
      {!fixed && <Steps {...props} />}
    </li>
  );
});

function Handle({ item, at, last, hint, first, calls }: Props) {
  const { t } = useTranslation();
  const press = (event: KeyboardEvent) => {
    const to = placeAfter(event.key, at, last + 1);
    if (to === null) return;
    event.preventDefault();
    calls.press(item.id, at, to, '.sort-handle');
  };
  return (
    <button
      type="button"
      className="sort-handle"
      draggable
      aria-label={t('ui.sort.move', { name: item.name })}
      aria-describedby={hint}
      data-autofocus={first || undefined}
      onKeyDown={press}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', item.name);
        calls.take(at);
      }}
      onDragEnd={calls.leave}
    >
      <i className="pi pi-bars" aria-hidden />
    </button>
  );
}

/** For whoever can neither drag nor type. */
function Steps({ item, at, last, calls }: Props) {
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
          onClick={() => calls.press(item.id, at, to, `.sort-${name}`)}
        >
          <i className={`pi pi-angle-${name}`} aria-hidden />
        </button>
      ))}
    </span>
  );
}
