// What a panel sells, to import from: asked of the panel when somebody wants it, searched and paged on the server.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import type { AnyAction } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Flag } from '@/ui/cells';
import { toast } from '@/ui/toasts';
import type { ExternalPanel } from '../external-panels/declaration';
import { importing, importProviders, type PanelServiceRow } from './calls';
import { ImportDialog } from './ImportDialog';
import { PackageDialog } from './PackageDialog';
import { Would } from './Would';

type Row = PanelServiceRow;

const of = columnsOf<Row>('panelServices');
const HIDDEN = { hidden: true } as const;
const REFUSALS = ['unknown_type', 'not_sold', 'unknown_parameter'] as const;

const COLUMNS: readonly Column<Row>[] = [
  of.text('external_panel_service_id', 'there', 90),
  of.text('name', 'name', 280),
  of.text('category', 'category', 160),
  of.text('type', 'type', 130),
  {
    name: 'external_panel_price',
    label: 'panelServices.columns.price',
    width: 120,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => `${row.external_panel_price} ${row.currency}`,
  },
  of.number('pricing_per', 'per', 80),
  of.number('min_quantity', 'min', 90),
  of.number('max_quantity', 'max', 110),
  of.flag('refill', 'refill', 90),
  of.flag('cancel', 'cancel', 90, HIDDEN),
  {
    name: 'is_imported',
    label: 'panelServices.columns.provider',
    width: 180,
    sortable: false,
    filter: { kind: 'flag' },
    cell: (row) => row.provider?.name ?? '–',
  },
  {
    name: 'refusal_kind',
    label: 'panelServices.columns.refusal',
    width: 280,
    filter: { kind: 'words', words: REFUSALS, texts: 'panelServices.refusals' },
    cell: (row) => row.refusal ?? '–',
  },
  {
    name: 'is_refused',
    label: 'panelServices.columns.isRefused',
    width: 130,
    sortable: false,
    filter: { kind: 'flag' },
    cell: (row) => <Flag on={Boolean(row.refusal)} bad />,
    ...HIDDEN,
  },
  {
    name: 'is_gone',
    label: 'panelServices.columns.isGone',
    width: 130,
    sortable: false,
    filter: { kind: 'flag' },
    cell: (row) => <Flag on={Boolean(row.gone_at)} />,
  },
  of.time('gone_at', 'gone', HIDDEN),
  of.time('created_at', 'createdAt', HIDDEN),
  of.id(76, undefined, HIDDEN),
];

const isNew = (row: Row) => !row.provider && !row.gone_at && !row.refusal;

/** The three imports of one panel: an archived one refuses each of them, which its flags tell. */
export function actionsOf(
  panel: number,
  { editable, import_packages }: Pick<ExternalPanel['actions'], 'editable' | 'import_packages'>,
): readonly AnyAction<Row>[] {
  const isImportable = (row: Row) => editable && isNew(row);
  return [
    {
      name: 'importServices',
      icon: 'download',
      allows: isImportable,
      Dialog: (props) => <ImportDialog {...props} panel={panel} />,
    },
    {
      name: 'importProviders',
      icon: 'link',
      allows: isImportable,
      Would,
      one: (id, _, how) => importProviders(panel)([id], how),
      many: (ids, _, how) => importing(importProviders(panel), ids, how),
    },
    {
      name: 'importPackages',
      icon: 'box',
      allows: (row) => import_packages && !row.gone_at && !row.refusal && /package$/i.test(row.type.trim()),
      Dialog: (props) => <PackageDialog {...props} panel={panel} />,
    },
  ];
}

/** A tab of the panel's page. */
export function PanelServices({ panel }: { panel: ExternalPanel }) {
  const { id } = panel;
  const { editable, import_packages } = panel.actions;
  const list = useMemo<List<Row>>(
    () => ({
      name: 'panel-services',
      title: 'panelServices.title',
      path: `/api/v1/admin/external-panels/${id}/services`,
      columns: COLUMNS,
      actions: actionsOf(id, { editable, import_packages }),
      plain: ['external_panel_id'],
      fixed: { external_panel_id: String(id) },
    }),
    [id, editable, import_packages],
  );
  return <ServerTable list={list} tools={<Fetch id={id} />} />;
}

/** Asks the panel what it sells now. */
function Fetch({ id }: { id: number }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const fetchNow = async () => {
    setBusy(true);
    try {
      const path = '/api/v1/admin/external-panels/{id}/available-services';
      const { data } = await told(api.POST(path, { params: { path: { id } } }));
      toast({
        tone: 'success',
        text: t('panelServices.fetched', {
          shown: data.services_count,
          fresh: data.new_count,
          gone: data.gone_count,
        }),
      });
      await queries.invalidateQueries({ queryKey: ['panel-services'] });
    } catch (error) {
      toast({ tone: 'error', text: asProblem(error).message });
    }
    setBusy(false);
  };
  return <Button icon="cloud-download" label={t('panelServices.fetch')} busy={busy} onClick={() => void fetchNow()} />;
}
