// One level of the position editor: its list, whether it was moved, and saving it as a whole.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem } from '@/api/problem';
import { useSubmit } from '@/form/useSubmit';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { moved, reordered } from '@/ui/order';
import { SortableList } from '@/ui/SortableList';
import { useUnsaved } from '@/ui/unsaved';
import { KEY } from './calls';

interface Placed {
  id: number;
  name: string;
}

interface Props<Item extends Placed> {
  title: string;
  /** Stands where there is no list: choose something, or nothing is there. */
  empty: string;
  query: UseQueryResult<readonly Item[]>;
  save: (ids: number[]) => Promise<unknown>;
  chosen?: number | null;
  onChoose?: (item: Item) => void;
  more?: (item: Item) => ReactNode;
  tools?: ReactNode;
  /** Hears whether there is an order that is not saved; the same function from draw to draw. */
  onMoved?: (isMoved: boolean) => void;
}

export function Level<Item extends Placed>(props: Props<Item>) {
  const { title, empty, query, save, chosen, onChoose, more, tools, onMoved } = props;
  const { t } = useTranslation();
  const sortable = useMay()('manage service types');
  const [order, setOrder] = useState<readonly Item[] | null>(null);
  const isMoved = order !== null;
  const { mayLeave } = useUnsaved(isMoved);
  useEffect(() => {
    onMoved?.(isMoved);
    return () => onMoved?.(false);
  }, [isMoved, onMoved]);
  const items = order ?? query.data ?? [];
  const sending = useSubmit({
    send: () => save(items.map((item) => item.id)),
    success: t('positions.saved'),
    invalidates: [[KEY]],
    onDone: () => setOrder(null),
  });
  const back = () => {
    setOrder(null);
    sending.forget();
  };
  /** The list as it is now, in the order that was made of it. */
  const retry = async () => {
    const { data } = await query.refetch();
    if (!data) return;
    setOrder((order) => order && reordered(order, data));
    sending.forget();
  };
  const failed = query.error ? asProblem(query.error) : sending.problem;
  return (
    <section className="card level" aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        {tools}
      </div>
      {failed && <ProblemBar problem={failed} onRetry={() => void retry()} />}
      {items.length === 0 && !query.isFetching && <p className="level-empty">{empty}</p>}
      <div className="level-list">
        <SortableList
          label={title}
          items={items}
          fixed={!sortable}
          onMove={(from, to) => setOrder(moved(items, from, to))}
          {...(more ? { more } : {})}
          {...(onChoose ? { chosen: chosen ?? null, onChoose } : {})}
        />
      </div>
      {order && (
        <div className="level-save">
          <Button label={t('positions.undo')} onClick={() => mayLeave() && back()} />
          <Button
            look="filled"
            label={t('positions.save')}
            busy={sending.isPending}
            onClick={() => void sending.submit()}
          />
        </div>
      )}
    </section>
  );
}
