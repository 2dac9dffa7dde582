// Targets: what services ask their customers beside the address.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { count } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { type Column, filterOnly, type List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { DeleteDialog } from '@/ui/DeleteDialog';
import { TargetTabs } from './Tabs';
import { TargetForm } from './TargetForm';
import { AboutText, ViewText } from './Texts';

type Row = Schemas['TargetRow'];

const c = columnsOf<Row>('targets');

const ABOUTS = [
  'geotargeting',
  'comment',
  'keyword',
  'seo_keyword',
  'language',
] as const satisfies readonly Row['target_type']['name'][];
const VIEWS = [
  'float_input',
  'input',
  'multiselect',
  'number_input',
  'select',
  'textarea',
  'url_input',
] as const satisfies readonly Row['target_type']['view_type'][];

const columns = (edit: (row: Row) => void, remove: (row: Row) => ReactNode): readonly Column<Row>[] => [
  c.id(80),
  c.text('name', 'name', 220, {
    cell: (row) =>
      row.actions.editable ? (
        <button type="button" className="link" onClick={() => edit(row)}>
          {row.name}
        </button>
      ) : (
        row.name
      ),
  }),
  {
    name: 'target_type.name',
    label: 'targets.columns.about',
    width: 160,
    filter: { kind: 'words', words: ABOUTS, texts: 'targets.about' },
    cell: (row) => <AboutText about={row.target_type.name} />,
  },
  {
    name: 'target_type.view_type',
    label: 'targets.columns.view',
    width: 170,
    filter: { kind: 'words', words: VIEWS, texts: 'targets.views' },
    cell: (row) => <ViewText view={row.target_type.view_type} />,
  },
  {
    name: 'selectable_values',
    label: 'targets.columns.values',
    width: 260,
    sortable: false,
    cell: (row) => row.selectable_values.join(', ') || '–',
  },
  {
    name: 'services_count',
    label: 'targets.columns.services',
    width: 100,
    align: 'end',
    sortable: false,
    cell: (row) => count(row.services_count),
  },
  c.flag('is_visible_default_values', 'visible', 190),
  c.flag('is_system', 'system', 100),
  c.time('created_at', 'createdAt', { hidden: true }),
  filterOnly('target_type.title', 'targets.type', { kind: 'text' }),
  { name: 'actions', label: 'targets.columns.delete', width: 90, sortable: false, cell: remove },
];

export default function Targets() {
  const { t } = useTranslation();
  const manages = useMay()('manage targets');
  const queries = useQueryClient();
  const [open, setOpen] = useState<{ id: number | null } | null>(null);
  const [gone, setGone] = useState<Row | null>(null);
  const [list] = useState<List<Row>>(() => ({
    name: 'targets',
    title: 'targets.title',
    path: '/api/v1/admin/targets',
    columns: columns(
      ({ id }) => setOpen({ id }),
      (row) =>
        row.actions.deletable && (
          <Button
            look="plain"
            iconOnly
            icon="trash"
            label={t('deleting.title', { name: row.name })}
            onClick={() => setGone(row)}
          />
        ),
    ),
  }));
  const tools = manages && <Button icon="plus" label={t('targets.create')} onClick={() => setOpen({ id: null })} />;
  return (
    <div className="with-tabs">
      <TargetTabs now="" />
      <ServerTable list={list} tools={tools} />
      {gone && (
        <DeleteDialog
          name={gone.name}
          remove={({ query, signal }) =>
            told(api.DELETE('/api/v1/admin/targets/{id}', { params: { path: { id: gone.id }, query }, signal }))
          }
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
