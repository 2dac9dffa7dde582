// The list of services that an external panel sells, with the actions that import them. The server stores this list, and fetches it
// again from the external panel when the user clicks the button.
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
import { BooleanText } from '@/ui/cells';
import type { ExternalPanel } from '../external-panels/externalPanelList';
import { ImportPreview } from './ImportPreview';
import { createImportProvidersRequest, importValidRecords, type PanelServiceRow } from './importProviders';
import { PackageImportDialog } from './PackageImportDialog';
import { ServiceImportDialog } from './ServiceImportDialog';

const isImportable = (row: PanelServiceRow) => row.actions?.importable ?? false;

/** Creates the actions that import services of an external panel as services, providers or packages. */
export function createImportActions(externalPanelId: number): readonly AnyAction<PanelServiceRow>[] {
  return [
    {
      name: 'importServices',
      icon: 'download',
      isAllowedFor: isImportable,
      Dialog: (props) => <ServiceImportDialog {...props} externalPanelId={externalPanelId} />,
    },
    {
      name: 'importProviders',
      icon: 'link',
      isAllowedFor: isImportable,
      PreviewDetails: ImportPreview,
      runSingle: (id, _, options) => createImportProvidersRequest(externalPanelId)([id], options),
      runBulk: (ids, _, options) => importValidRecords(createImportProvidersRequest(externalPanelId), ids, options),
    },
    {
      name: 'importPackages',
      icon: 'box',
      isAllowedFor: (row) => row.actions?.importable_as_package ?? false,
      Dialog: (props) => <PackageImportDialog {...props} externalPanelId={externalPanelId} />,
    },
  ];
}

/** The services tab of an external panel's page. */
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
          rejection_kind: { width: 280, cell: (row) => row.rejection ?? '–' },
          is_rejected: {
            width: 130,
            cell: (row) => <BooleanText value={Boolean(row.rejection)} isWarning />,
            sortable: false,
          },
          is_vanished: { width: 130, cell: (row) => <BooleanText value={Boolean(row.vanished_at)} />, sortable: false },
          id: 76,
        },
        actions: createImportActions(id),
        fixedFilters: { external_panel_id: String(id) },
      }),
    [id],
  );
  return <ServerTable list={list} tools={<RefreshServicesButton externalPanelId={id} />} />;
}

/** Makes the server fetch the current services of the external panel. */
function RefreshServicesButton({ externalPanelId }: { externalPanelId: number }) {
  const { t } = useTranslation();
  const { submit, isPending } = useSubmit({
    send: async () => {
      const path = '/api/v1/admin/external-panels/{id}/available-services';
      return (await unwrap(api.POST(path, { params: { path: { id: externalPanelId } } }))).data;
    },
    successMessage: ({ services_count: total, new_count: added, vanished_count: removed }) =>
      t('panelServices.refreshed', { total, added, removed }),
    invalidatedQueries: [['panel-services']],
    showProblemAs: 'toast',
  });
  return (
    <Button icon="cloud-download" label={t('panelServices.refresh')} busy={isPending} onClick={() => void submit()} />
  );
}
