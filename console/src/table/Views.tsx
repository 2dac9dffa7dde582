// Saved views as tabs above the list: filters, sort order and columns under a name, private or shared.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { SaveViewDialog } from './SaveViewDialog';
import { formatState } from './state';
import type { TableHandle } from './useTable';

type View = Schemas['SavedView'];

interface Props<Row extends { id: number }> {
  table: TableHandle<Row>;
  visibleNames: readonly string[];
  setVisible: (names: readonly string[]) => void;
}

export function Views<Row extends { id: number }>({ table, visibleNames, setVisible }: Props<Row>) {
  const { t } = useTranslation();
  const [path, navigate] = useLocation();
  const queryClient = useQueryClient();
  const [isSaving, setIsSaving] = useState(false);
  const list = table.list.name;
  const queryKey = ['saved-views', list];
  const { data: views = [] } = useQuery({
    queryKey,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/saved-views', { params: { query: { list } } }))).data,
    staleTime: 60_000,
  });
  const currentQuery = formatState({ ...table.state, page: 1 });
  const refetch = () => queryClient.invalidateQueries({ queryKey });
  const open = (view: View) => {
    setVisible(view.columns);
    navigate(view.query ? `${path}?${view.query}` : path);
  };
  const recreate = ({ list, name, query, columns, is_shared }: View) =>
    void unwrap(api.POST('/api/v1/admin/saved-views', { body: { list, name, query, columns, is_shared } })).then(
      refetch,
    );
  const { submit: remove } = useSubmit({
    send: (view: View) => unwrap(api.DELETE('/api/v1/admin/saved-views/{id}', { params: { path: { id: view.id } } })),
    success: (_, view) => ({
      tone: 'success',
      text: t('views.deleted', { name: view.name }),
      action: { label: t('ui.undo'), run: () => recreate(view) },
    }),
    invalidates: [queryKey],
    showProblemAs: 'toast',
  });
  return (
    <nav className="views" aria-label={t('views.title')}>
      <button
        type="button"
        className="view"
        aria-current={currentQuery === '' ? 'page' : undefined}
        onClick={() => table.reset()}
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
              onClick={() => open(view)}
            >
              {view.is_shared && <i className="pi pi-users" aria-hidden title={t('views.shared')} />}
              {view.name}
            </button>
            {isActive && view.editable && (
              <Button
                variant="plain"
                iconOnly
                icon="trash"
                label={t('views.delete', { name: view.name })}
                onClick={() => void remove(view)}
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
          view={{ list, query: currentQuery, columns: [...visibleNames] }}
          onClose={() => setIsSaving(false)}
          onSaved={() => {
            setIsSaving(false);
            void refetch();
          }}
        />
      )}
    </nav>
  );
}
