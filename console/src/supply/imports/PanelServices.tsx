// The list of services that an external panel sells, with the actions that import them. The server stores the list, and loads it
// again from the panel when the user clicks the button.
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
import { createImportProvidersCall, importValidRecords, type PanelServiceRow } from './calls';
import { ImportPreview } from './ImportPreview';
import { PackageImportDialog } from './PackageImportDialog';
import { ServiceImportDialog } from './ServiceImportDialog';

const isImportable = (row: PanelServiceRow) => row.actions?.importable ?? false;

/** The actions that import services of a panel as services, providers or packages. */
export function createImportActions(panelId: number): readonly AnyAction<PanelServiceRow>[] {
  return [
    {
      name: 'importServices',
      icon: 'download',
      allows: isImportable,
      Dialog: (props) => <ServiceImportDialog {...props} panelId={panelId} />,
    },
    {
      name: 'importProviders',
      icon: 'link',
      allows: isImportable,
      PreviewDetails: ImportPreview,
      runSingle: (id, _, options) => createImportProvidersCall(panelId)([id], options),
      runBulk: (ids, _, options) => importValidRecords(createImportProvidersCall(panelId), ids, options),
    },
    {
      name: 'importPackages',
      icon: 'box',
      allows: (row) => row.actions?.importable_as_package ?? false,
      Dialog: (props) => <PackageImportDialog {...props} panelId={panelId} />,
    },
  ];
}

/** The services tab of a panel's page. */
export function PanelServices({ panel: { id } }: { panel: Pick<ExternalPanel, 'id'> }) {
  const list = useMemo<List<PanelServiceRow>>(
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
          is_refused: { width: 130, cell: (row) => <Flag value={Boolean(row.refusal)} isWarning />, sortable: false },
          is_vanished: { width: 130, cell: (row) => <Flag value={Boolean(row.vanished_at)} />, sortable: false },
          id: 76,
        },
        actions: createImportActions(id),
        fixedFilters: { external_panel_id: String(id) },
      }),
    [id],
  );
  return <ServerTable list={list} tools={<FetchServicesButton panelId={id} />} />;
}

/** Makes the server load the current services of the panel. */
function FetchServicesButton({ panelId }: { panelId: number }) {
  const { t } = useTranslation();
  const { submit, isPending } = useSubmit({
    send: async () => {
      const path = '/api/v1/admin/external-panels/{id}/available-services';
      return (await unwrap(api.POST(path, { params: { path: { id: panelId } } }))).data;
    },
    success: ({ services_count: shown, new_count: added, vanished_count: removed }) =>
      t('panelServices.refreshed', { shown, added, removed }),
    invalidates: [['panel-services']],
    showProblemAs: 'toast',
  });
  return (
    <Button icon="cloud-download" label={t('panelServices.refresh')} busy={isPending} onClick={() => void submit()} />
  );
}
