// Shows the saved views as tabs above the list. A view stores filters, sort order and columns under a name; it is private or shared.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { formatState } from './listState';
import { SaveViewDialog } from './SaveViewDialog';
import type { TableHandle } from './useTable';

type View = Schemas['SavedView'];

interface Props<Row extends { id: number }> {
  table: TableHandle<Row>;
  visibleColumnNames: readonly string[];
  setVisibleColumnNames: (names: readonly string[]) => void;
}

export function SavedViews<Row extends { id: number }>({
  table,
  visibleColumnNames,
  setVisibleColumnNames,
}: Props<Row>) {
  const { t } = useTranslation();
  const [path, navigate] = useLocation();
  const queryClient = useQueryClient();
  const [isSaving, setIsSaving] = useState(false);
  const listName = table.list.name;
  const queryKey = ['saved-views', listName];
  const { data: views = [] } = useQuery({
    queryKey,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/saved-views', { params: { query: { list: listName } } }))).data,
    staleTime: 60_000,
  });
  const currentQuery = formatState({ ...table.state, page: 1 });
  const refetchViews = () => queryClient.invalidateQueries({ queryKey });
  const openView = (view: View) => {
    setVisibleColumnNames(view.columns);
    navigate(view.query ? `${path}?${view.query}` : path);
  };
  const recreateView = ({ list, name, query, columns, is_shared }: View) =>
    void unwrap(api.POST('/api/v1/admin/saved-views', { body: { list, name, query, columns, is_shared } })).then(
      refetchViews,
    );
  const { submit: deleteView } = useSubmit({
    send: (view: View) => unwrap(api.DELETE('/api/v1/admin/saved-views/{id}', { params: { path: { id: view.id } } })),
    successMessage: (_, view) => ({
      tone: 'success',
      text: t('views.deleted', { name: view.name }),
      action: { label: t('ui.undo'), onClick: () => recreateView(view) },
    }),
    invalidatedQueries: [queryKey],
    showProblemAs: 'toast',
  });
  return (
    <nav className="views" aria-label={t('views.title')}>
      <button
        type="button"
        className="view"
        aria-current={currentQuery === '' ? 'page' : undefined}
        onClick={() => table.resetFilters()}
      >
        {t('views.all')}
      </button>
      {views.map((view) => {
        const isActive = view.query === currentQuery;
        return (
          <span key={view.id} className="view-tab">
            <button
              type="button"
              className="view"
              aria-current={isActive ? 'page' : undefined}
              onClick={() => openView(view)}
            >
              {view.is_shared && <i className="pi pi-users" aria-hidden title={t('views.sharedWithStaff')} />}
              {view.name}
            </button>
            {isActive && view.editable && (
              <Button
                variant="plain"
                iconOnly
                icon="trash"
                label={t('views.delete', { name: view.name })}
                onClick={() => void deleteView(view)}
              />
            )}
          </span>
        );
      })}
      {currentQuery !== '' && !views.some((view) => view.query === currentQuery) && (
        <Button variant="plain" icon="bookmark" label={t('views.save')} onClick={() => setIsSaving(true)} />
      )}
      {isSaving && (
        <SaveViewDialog
          view={{ list: listName, query: currentQuery, columns: [...visibleColumnNames] }}
          onClose={() => setIsSaving(false)}
          onSaved={() => {
            setIsSaving(false);
            void refetchViews();
          }}
        />
      )}
    </nav>
  );
}
