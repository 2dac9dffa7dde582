// The list of targets: the questions that services ask customers in addition to the URL.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { targets } from '@/api/lists/targets';
import { writeInitAt } from '@/api/writeOptions';
import { DeleteDialog } from '@/form/DeleteDialog';
import { useHasPermission } from '@/session/hooks';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { TargetTabs } from './Tabs';
import { TargetForm } from './TargetForm';
import { TargetNameText, TargetViewText } from './TargetTexts';

type TargetRow = Schemas['TargetRow'];

export default function Targets() {
  const { t } = useTranslation();
  const canManage = useHasPermission()('manage targets');
  const queries = useQueryClient();
  const [editing, setEditing] = useState<{ id: number | null } | null>(null);
  const [deleting, setDeleting] = useState<TargetRow | null>(null);
  const [list] = useState<List<TargetRow>>(() =>
    defineList(targets, {
      title: 'targets.title',
      columns: {
        name: {
          width: 220,
          cell: (row) =>
            row.actions.editable ? (
              <button type="button" className="link" onClick={() => setEditing({ id: row.id })}>
                {row.name}
              </button>
            ) : (
              row.name
            ),
        },
        'target_type.name': { width: 160, cell: (row) => <TargetNameText about={row.target_type.name} /> },
        'target_type.view_type': { width: 170, cell: (row) => <TargetViewText view={row.target_type.view_type} /> },
        selectable_values: { width: 260, cell: (row) => row.selectable_values.join(', ') || '–' },
        services_count: 100,
        is_visible_default_values: 190,
        is_system: 100,
      },
      extra: [
        {
          name: 'actions',
          label: 'targets.columns.delete',
          width: 90,
          sortable: false,
          cell: (row) =>
            row.actions.deletable && (
              <Button
                variant="plain"
                iconOnly
                icon="trash"
                label={t('deleting.title', { name: row.name })}
                onClick={() => setDeleting(row)}
              />
            ),
        },
      ],
    }),
  );
  const tools = canManage && (
    <Button icon="plus" label={t('targets.create')} onClick={() => setEditing({ id: null })} />
  );
  return (
    <div className="with-tabs">
      <TargetTabs current="" />
      <ServerTable list={list} tools={tools} />
      {deleting && (
        <DeleteDialog
          name={deleting.name}
          remove={(options) =>
            unwrap(api.DELETE('/api/v1/admin/targets/{id}', writeInitAt({ id: deleting.id }, options)))
          }
          onClose={() => setDeleting(null)}
          onDone={() => void queries.invalidateQueries({ queryKey: ['targets'] })}
        />
      )}
      {editing && (
        <TargetForm
          id={editing.id}
          onClose={() => setEditing(null)}
          onDone={() => void queries.invalidateQueries({ queryKey: ['targets'] })}
        />
      )}
    </div>
  );
}
