// Targets: what services ask their customers beside the address.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { initAt } from '@/api/how';
import { targets } from '@/api/lists/targets';
import { DeleteDialog } from '@/form/DeleteDialog';
import { useMay } from '@/session/hooks';
import type { List } from '@/table/declare';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { TargetTabs } from './Tabs';
import { TargetForm } from './TargetForm';
import { AboutText, ViewText } from './Texts';

type Row = Schemas['TargetRow'];

export default function Targets() {
  const { t } = useTranslation();
  const manages = useMay()('manage targets');
  const queries = useQueryClient();
  const [open, setOpen] = useState<{ id: number | null } | null>(null);
  const [gone, setGone] = useState<Row | null>(null);
  const [list] = useState<List<Row>>(() =>
    listOf(targets, {
      title: 'targets.title',
      columns: {
        name: {
          width: 220,
          cell: (row) =>
            row.actions.editable ? (
              <button type="button" className="link" onClick={() => setOpen({ id: row.id })}>
                {row.name}
              </button>
            ) : (
              row.name
            ),
        },
        'target_type.name': { width: 160, cell: (row) => <AboutText about={row.target_type.name} /> },
        'target_type.view_type': { width: 170, cell: (row) => <ViewText view={row.target_type.view_type} /> },
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
                look="plain"
                iconOnly
                icon="trash"
                label={t('deleting.title', { name: row.name })}
                onClick={() => setGone(row)}
              />
            ),
        },
      ],
    }),
  );
  const tools = manages && <Button icon="plus" label={t('targets.create')} onClick={() => setOpen({ id: null })} />;
  return (
    <div className="with-tabs">
      <TargetTabs now="" />
      <ServerTable list={list} tools={tools} />
      {gone && (
        <DeleteDialog
          name={gone.name}
          remove={(how) => unwrap(api.DELETE('/api/v1/admin/targets/{id}', initAt({ id: gone.id }, how)))}
          onClose={() => setGone(null)}
          onDone={() => void queries.invalidateQueries({ queryKey: ['targets'] })}
        />
      )}
      {open && (
        <TargetForm
          id={open.id}
          onClose={() => setOpen(null)}
          onDone={() => void queries.invalidateQueries({ queryKey: ['targets'] })}
        />
      )}
    </div>
  );
}
