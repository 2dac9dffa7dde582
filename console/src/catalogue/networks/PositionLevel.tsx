// One level of the position editor: a list that staff sort. The positions of all items are saved in one request.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem } from '@/api/problem';
import { useSubmit } from '@/form/useSubmit';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { SortableList } from '@/ui/SortableList';
import { applySorting, moveItem } from '@/ui/sorting';
import { useUnsaved } from '@/ui/unsaved';
import { CATALOGUE_KEY } from './calls';

interface LevelItem {
  id: number;
  name: string;
}

interface Props<Item extends LevelItem> {
  title: string;
  /** The text of an empty list. */
  empty: string;
  query: UseQueryResult<readonly Item[]>;
  save: (ids: number[]) => Promise<unknown>;
  selectedId?: number | null;
  onSelect?: (item: Item) => void;
  renderExtra?: (item: Item) => ReactNode;
  tools?: ReactNode;
  /** Called when the sorting gets unsaved changes, and when it is saved or discarded. Must be the same function in every render. */
  onDirtyChange?: (isDirty: boolean) => void;
}

export function PositionLevel<Item extends LevelItem>(props: Props<Item>) {
  const { title, empty, query, save, selectedId, onSelect, renderExtra, tools, onDirtyChange } = props;
  const { t } = useTranslation();
  const canSort = useHasPermission()('manage service types');
  const [unsavedItems, setUnsavedItems] = useState<readonly Item[] | null>(null);
  const isDirty = unsavedItems !== null;
  const { confirmLeave } = useUnsaved(isDirty);
  useEffect(() => {
    onDirtyChange?.(isDirty);
    return () => onDirtyChange?.(false);
  }, [isDirty, onDirtyChange]);
  const items = unsavedItems ?? query.data ?? [];
  const submission = useSubmit({
    send: () => save(items.map((item) => item.id)),
    success: t('positions.saved'),
    invalidates: [[CATALOGUE_KEY]],
    onDone: () => setUnsavedItems(null),
  });
  const discard = () => {
    setUnsavedItems(null);
    submission.clearProblem();
  };
  /** Loads the list again and applies the user's sorting to it. */
  const retry = async () => {
    const { data } = await query.refetch();
    if (!data) return;
    setUnsavedItems((items) => items && applySorting(items, data));
    submission.clearProblem();
  };
  const problem = query.error ? asProblem(query.error) : submission.problem;
  return (
    <section className="card level" aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        {tools}
      </div>
      {problem && <ProblemBar problem={problem} onRetry={() => void retry()} />}
      {items.length === 0 && !query.isFetching && <p className="level-empty">{empty}</p>}
      <div className="level-list">
        <SortableList
          label={title}
          items={items}
          isReadOnly={!canSort}
          onMove={(fromIndex, toIndex) => setUnsavedItems(moveItem(items, fromIndex, toIndex))}
          {...(renderExtra ? { renderExtra } : {})}
          {...(onSelect ? { selectedId: selectedId ?? null, onSelect } : {})}
        />
      </div>
      {isDirty && (
        <div className="level-save">
          <Button label={t('positions.undo')} onClick={() => confirmLeave() && discard()} />
          <Button
            variant="filled"
            label={t('positions.save')}
            busy={submission.isPending}
            onClick={() => void submission.submit()}
          />
        </div>
      )}
    </section>
  );
}
