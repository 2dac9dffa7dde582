// What a panel sells, to import from: asked of the panel when somebody wants it, searched and paged on the server.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { externalPanelServices } from '@/api/lists/external-panel-services';
import { useSubmit } from '@/form/useSubmit';
import type { AnyAction } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Flag } from '@/ui/cells';
import type { ExternalPanel } from '../external-panels/declaration';
import { importing, importProviders, type PanelServiceRow } from './calls';
import { ImportDialog } from './ImportDialog';
import { PackageDialog } from './PackageDialog';
import { Would } from './Would';

type Row = PanelServiceRow;

const isImportable = (row: Row) => row.actions?.importable ?? false;

/** The three imports of one panel. */
export function actionsOf(panel: number): readonly AnyAction<Row>[] {
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
      PreviewDetails: Would,
      one: (id, _, how) => importProviders(panel)([id], how),
      many: (ids, _, how) => importing(importProviders(panel), ids, how),
    },
    {
      name: 'importPackages',
      icon: 'box',
      allows: (row) => row.actions?.importable_as_package ?? false,
      Dialog: (props) => <PackageDialog {...props} panel={panel} />,
    },
  ];
}

/** A tab of the panel's page. */
export function PanelServices({ panel: { id } }: { panel: Pick<ExternalPanel, 'id'> }) {
  const list = useMemo<List<Row>>(
    () =>
      defineList(externalPanelServices, {
        name: 'panel-services',
        title: 'panelServices.title',
        path: `/api/v1/admin/external-panels/${id}/services`,
        columns: {
          external_panel_service_id: 90,
          name: 280,
          category: 160,
          type: 130,
          external_panel_price: { width: 120, cell: (row) => `${row.external_panel_price} ${row.currency}` },
          pricing_per: 80,
          max_quantity: 110,
          refill: 90,
          cancel: 90,
          is_imported: { width: 180, cell: (row) => row.provider?.name ?? '–', sortable: false },
          refusal_kind: { width: 280, cell: (row) => row.refusal ?? '–' },
          is_refused: { width: 130, cell: (row) => <Flag on={Boolean(row.refusal)} bad />, sortable: false },
          is_gone: { width: 130, cell: (row) => <Flag on={Boolean(row.gone_at)} />, sortable: false },
          id: 76,
        },
        actions: actionsOf(id),
        fixedFilters: { external_panel_id: String(id) },
      }),
    [id],
  );
  return <ServerTable list={list} tools={<Fetch id={id} />} />;
}

/** Asks the panel what it sells now. */
function Fetch({ id }: { id: number }) {
  const { t } = useTranslation();
  const { submit, isPending } = useSubmit({
    send: async () => {
      const path = '/api/v1/admin/external-panels/{id}/available-services';
      return (await unwrap(api.POST(path, { params: { path: { id } } }))).data;
    },
    success: ({ services_count: shown, new_count: fresh, gone_count: gone }) =>
      t('panelServices.fetched', { shown, fresh, gone }),
    invalidates: [['panel-services']],
    showProblemAs: 'toast',
  });
  return (
    <Button icon="cloud-download" label={t('panelServices.fetch')} busy={isPending} onClick={() => void submit()} />
  );
}
