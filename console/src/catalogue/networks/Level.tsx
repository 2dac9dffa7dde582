// One level of the position editor: its list, whether it was moved, and saving it as a whole.
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { moved, reordered } from '@/ui/order';
import { SortableList } from '@/ui/SortableList';
import { toast } from '@/ui/toasts';
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
  query: UseQueryResult<Item[]>;
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
  const queries = useQueryClient();
  const [order, setOrder] = useState<readonly Item[] | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isMoved = order !== null;
  const mayLeave = useUnsaved(isMoved);
  useEffect(() => {
    onMoved?.(isMoved);
    return () => onMoved?.(false);
  }, [isMoved, onMoved]);
  const items = order ?? query.data ?? [];
  const back = () => {
    setOrder(null);
    setProblem(null);
  };
  const send = async () => {
    setBusy(true);
    try {
      await save(items.map((item) => item.id));
      await queries.invalidateQueries({ queryKey: [KEY] });
      back();
      toast({ tone: 'success', text: t('positions.saved') });
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  /** The list as it is now, in the order that was made of it. */
  const retry = async () => {
    const { data } = await query.refetch();
    if (!data) return;
    setOrder((order) => order && reordered(order, data));
    setProblem(null);
  };
  const failed = query.error ? asProblem(query.error) : problem;
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
          <Button look="filled" label={t('positions.save')} busy={busy} onClick={() => void send()} />
        </div>
      )}
    </section>
  );
}
