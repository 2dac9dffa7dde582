// One level of the position editor: a list that staff sort. One request saves the positions of all items.
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
import { useUnsavedChanges } from '@/ui/unsavedChanges';
import { CATALOGUE_KEY } from './requests';

interface SortableRecord {
  id: number;
  name: string;
}

interface Props<Item extends SortableRecord> {
  title: string;
  /** Shown if the list has no items. */
  emptyText: string;
  itemsQuery: UseQueryResult<readonly Item[]>;
  savePositions: (ids: number[]) => Promise<unknown>;
  selectedId?: number | null;
  onSelect?: (item: Item) => void;
  renderAfterName?: (item: Item) => ReactNode;
  tools?: ReactNode;
  /** Runs when the first unsaved change occurs, and when the user saves or discards the changes. Must not change between renders. */
  onDirtyChange?: (isDirty: boolean) => void;
}

export function PositionLevel<Item extends SortableRecord>(props: Props<Item>) {
  const { title, emptyText, itemsQuery, savePositions, selectedId, onSelect, renderAfterName, tools, onDirtyChange } =
    props;
  const { t } = useTranslation();
  const canSort = useHasPermission()('manage service types');
  const [unsavedItems, setUnsavedItems] = useState<readonly Item[] | null>(null);
  const isDirty = unsavedItems !== null;
  const { confirmLeave } = useUnsavedChanges(isDirty);
  useEffect(() => {
    onDirtyChange?.(isDirty);
    return () => onDirtyChange?.(false);
  }, [isDirty, onDirtyChange]);
  const items = unsavedItems ?? itemsQuery.data ?? [];
  const submission = useSubmit({
    send: () => savePositions(items.map((item) => item.id)),
    successMessage: t('positions.saved'),
    invalidatedQueries: [[CATALOGUE_KEY]],
    onDone: () => setUnsavedItems(null),
  });
  const discard = () => {
    setUnsavedItems(null);
    submission.clearProblem();
  };
  /** Fetches the list again, and applies the user's unsaved sorting to it. */
  const retry = async () => {
    const { data } = await itemsQuery.refetch();
    if (!data) return;
    setUnsavedItems((items) => items && applySorting(items, data));
    submission.clearProblem();
  };
  const problem = itemsQuery.error ? asProblem(itemsQuery.error) : submission.problem;
  return (
    <section className="card level" aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        {tools}
      </div>
      {problem && <ProblemBar problem={problem} onRetry={() => void retry()} />}
      {items.length === 0 && !itemsQuery.isFetching && <p className="level-empty">{emptyText}</p>}
      <div className="level-list">
        <SortableList
          label={title}
          items={items}
          isReadOnly={!canSort}
          onMove={(fromIndex, toIndex) => setUnsavedItems(moveItem(items, fromIndex, toIndex))}
          {...(renderAfterName ? { renderAfterName } : {})}
          {...(onSelect ? { selectedId: selectedId ?? null, onSelect } : {})}
        />
      </div>
      {isDirty && (
        <div className="level-save">
          <Button label={t('positions.discard')} onClick={() => confirmLeave() && discard()} />
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
