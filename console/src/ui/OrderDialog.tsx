// The order of a short list: dragged, or moved by keys and buttons, and saved once. What moved is said aloud.
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { ProblemBar } from './Notice';
import { moved } from './order';
import { useUnsaved } from './unsaved';

interface Item {
  id: number;
  name: string;
}

interface Props {
  title: string;
  items: readonly Item[];
  onSave: (ids: number[]) => Promise<void>;
  onClose: () => void;
}

export function OrderDialog({ title, items, onSave, onClose }: Props) {
  const { t } = useTranslation();
  const [order, setOrder] = useState(items);
  const [held, setHeld] = useState<number | null>(null);
  const [said, setSaid] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isDirty = order.some((item, at) => item !== items[at]);
  const mayLeave = useUnsaved(isDirty && !busy);
  const close = () => mayLeave() && onClose();
  const move = (from: number, to: number) => {
    const item = order[from];
    if (!item || from === to || to < 0 || to >= order.length) return;
    setOrder(moved(order, from, to));
    setSaid(t('ui.order.moved', { name: item.name, at: to + 1, of: order.length }));
    setProblem(null);
  };
  const save = async () => {
    setBusy(true);
    try {
      await onSave(order.map((item) => item.id));
      onClose();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={close}
      held={busy}
      footer={
        <>
          <Button label={t('ui.cancel')} onClick={close} />
          <Button
            look="filled"
            label={t('ui.save')}
            busy={busy}
            disabled={!isDirty && t('ui.order.same')}
            onClick={save}
          />
        </>
      }
    >
      <p className="none">{t('ui.order.hint')}</p>
      <ol className="order-list">
        {order.map((item, at) => (
          <li
            key={item.id}
            draggable
            data-held={held === at || undefined}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move';
              setHeld(at);
            }}
            onDragOver={(event) => {
              if (held === null) return;
              event.preventDefault();
              if (held === at) return;
              move(held, at);
              setHeld(at);
            }}
            onDrop={(event) => event.preventDefault()}
            onDragEnd={() => setHeld(null)}
          >
            <Line item={item} at={at} last={order.length - 1} onMove={move} />
          </li>
        ))}
      </ol>
      <p className="sr" role="status">
        {said}
      </p>
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}

interface LineProps {
  item: Item;
  at: number;
  last: number;
  onMove: (from: number, to: number) => void;
}

function Line({ item, at, last, onMove }: LineProps) {
  const { t } = useTranslation();
  const keys: Readonly<Record<string, number>> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last };
  const press = (event: KeyboardEvent) => {
    const to = keys[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onMove(at, to);
  };
  return (
    <>
      <Button
        look="plain"
        iconOnly
        icon="bars"
        className="order-grip"
        label={t('ui.order.grip', { name: item.name, at: at + 1, of: last + 1 })}
        onKeyDown={press}
        data-autofocus={at === 0 || undefined}
      />
      <span className="order-at">{at + 1}</span>
      <span className="order-name">{item.name}</span>
      <Button
        look="plain"
        iconOnly
        icon="arrow-up"
        label={t('ui.order.up', { name: item.name })}
        disabled={at === 0}
        onClick={() => onMove(at, at - 1)}
      />
      <Button
        look="plain"
        iconOnly
        icon="arrow-down"
        label={t('ui.order.down', { name: item.name })}
        disabled={at === last}
        onClick={() => onMove(at, at + 1)}
      />
    </>
  );
}
