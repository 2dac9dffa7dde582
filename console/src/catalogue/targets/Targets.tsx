// The screen with the list of targets. A target is a question to the customer of a service, in addition to the URL.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { targets } from '@/api/lists/targets';
import { createWriteOptionsWithPath } from '@/api/writeOptions';
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
  const queryClient = useQueryClient();
  const [openForm, setOpenForm] = useState<{ id: number | null } | null>(null);
  const [targetToDelete, setTargetToDelete] = useState<TargetRow | null>(null);
  const [list] = useState<List<TargetRow>>(() =>
    defineList(targets, {
      title: 'targets.title',
      columns: {
        name: {
          width: 220,
          cell: (row) =>
            row.actions.editable ? (
              <button type="button" className="link" onClick={() => setOpenForm({ id: row.id })}>
                {row.name}
              </button>
            ) : (
              row.name
            ),
        },
        'target_type.name': { width: 160, cell: (row) => <TargetNameText name={row.target_type.name} /> },
        'target_type.view_type': { width: 170, cell: (row) => <TargetViewText view={row.target_type.view_type} /> },
        selectable_values: { width: 260, cell: (row) => row.selectable_values.join(', ') || '–' },
        services_count: 100,
        is_visible_default_values: 190,
        is_system: 100,
      },
      extraColumns: [
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
                label={t('deleteDialog.title', { name: row.name })}
                onClick={() => setTargetToDelete(row)}
              />
            ),
        },
      ],
    }),
  );
  const tools = canManage && (
    <Button icon="plus" label={t('targets.create')} onClick={() => setOpenForm({ id: null })} />
  );
  return (
    <div className="with-tabs">
      <TargetTabs current="" />
      <ServerTable list={list} tools={tools} />
      {targetToDelete && (
        <DeleteDialog
          name={targetToDelete.name}
          deleteRecord={(options) =>
            unwrap(
              api.DELETE('/api/v1/admin/targets/{id}', createWriteOptionsWithPath({ id: targetToDelete.id }, options)),
            )
          }
          onClose={() => setTargetToDelete(null)}
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['targets'] })}
        />
      )}
      {openForm && (
        <TargetForm
          id={openForm.id}
          onClose={() => setOpenForm(null)}
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['targets'] })}
        />
      )}
    </div>
  );
}
