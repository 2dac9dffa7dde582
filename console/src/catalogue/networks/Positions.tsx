// The screen on which staff sort networks, service types and services. The three lists are side by side. Staff save each list
// separately.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { createWriteOptionsWithPath } from '@/api/writeOptions';
import { DeleteDialog } from '@/form/DeleteDialog';
import { formatMoney } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { useUnsavedChanges } from '@/ui/unsavedChanges';
import { CatalogueTabs } from '../Tabs';
import { NetworkForm, ServiceTypeForm } from './forms';
import { PositionLevel } from './PositionLevel';
import {
  CATALOGUE_KEY,
  type Network,
  saveNetworkPositions,
  saveServicePositions,
  saveServiceTypePositions,
  useNetworks,
  useServicesOfType,
  useServiceTypesOfNetwork,
} from './requests';

type OpenDialog =
  | { kind: 'network'; network: Network | null }
  | { kind: 'type'; id: number | null }
  | { kind: 'delete'; resource: 'networks' | 'service-types'; id: number; name: string };

export default function Positions() {
  const { t } = useTranslation();
  const canManage = useHasPermission()('manage service types');
  const [selectedNetworkId, setSelectedNetworkId] = useState<number | null>(null);
  const [selectedTypeId, setSelectedTypeId] = useState<number | null>(null);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const networks = useNetworks();
  const networkId = selectedNetworkId ?? networks.data?.[0]?.id ?? null;
  const types = useServiceTypesOfNetwork(networkId);
  const typeId = selectedTypeId ?? types.data?.[0]?.id ?? null;
  const services = useServicesOfType(typeId);
  // If the user selects another network or type, the lists of its types or services are replaced. The user must confirm this if such
  // a list has unsaved changes.
  const [areTypesDirty, setAreTypesDirty] = useState(false);
  const [areServicesDirty, setAreServicesDirty] = useState(false);
  const { confirmLeave: confirmLeaveNetwork } = useUnsavedChanges(areTypesDirty || areServicesDirty);
  const { confirmLeave: confirmLeaveType } = useUnsavedChanges(areServicesDirty);
  const queryClient = useQueryClient();
  const closeDialog = () => setDialog(null);
  const renderCreateButton = (label: string, dialog: OpenDialog) =>
    canManage && <Button variant="plain" iconOnly icon="plus" label={label} onClick={() => setDialog(dialog)} />;
  const renderEditButton = (name: string, dialog: OpenDialog) =>
    canManage && (
      <Button
        variant="plain"
        iconOnly
        icon="pencil"
        label={t('positions.edit', { name })}
        onClick={() => setDialog(dialog)}
      />
    );
  const renderDeleteButton = (resource: 'networks' | 'service-types', { id, name }: { id: number; name: string }) =>
    canManage && (
      <Button
        variant="plain"
        iconOnly
        icon="trash"
        label={t('deleteDialog.title', { name })}
        onClick={() => setDialog({ kind: 'delete', resource, id, name })}
      />
    );
  return (
    <div className="record">
      <CatalogueTabs current="positions" />
      <h1 tabIndex={-1}>{t('positions.title')}</h1>
      <p className="hint">{t('positions.hint')}</p>
      <div className="levels">
        <PositionLevel
          title={t('positions.networks')}
          emptyText={t('positions.noNetworks')}
          itemsQuery={networks}
          savePositions={saveNetworkPositions}
          selectedId={networkId}
          onSelect={({ id }) => {
            if (id === networkId || !confirmLeaveNetwork()) return;
            setSelectedNetworkId(id);
            setSelectedTypeId(null);
          }}
          tools={renderCreateButton(t('networks.create'), { kind: 'network', network: null })}
          renderAfterName={(item) => (
            <>
              {renderEditButton(item.name, { kind: 'network', network: item })}
              {renderDeleteButton('networks', item)}
            </>
          )}
        />
        <PositionLevel
          key={`types of ${networkId}`}
          title={t('positions.types')}
          emptyText={t('positions.noTypes')}
          itemsQuery={types}
          savePositions={(ids) => saveServiceTypePositions(networkId ?? 0, ids)}
          selectedId={typeId}
          onSelect={({ id }) => id !== typeId && confirmLeaveType() && setSelectedTypeId(id)}
          onDirtyChange={setAreTypesDirty}
          tools={networkId !== null && renderCreateButton(t('serviceTypes.create'), { kind: 'type', id: null })}
          renderAfterName={(item) => (
            <>
              <span className="sort-more">{item.services_count}</span>
              {renderEditButton(item.name, { kind: 'type', id: item.id })}
              {renderDeleteButton('service-types', item)}
            </>
          )}
        />
        <PositionLevel
          key={`services of ${typeId}`}
          title={t('positions.services')}
          emptyText={t('positions.noServices')}
          itemsQuery={services}
          savePositions={(ids) => saveServicePositions(typeId ?? 0, ids)}
          onDirtyChange={setAreServicesDirty}
          renderAfterName={(item) => (
            <>
              {!item.is_enabled && <StatusTag status="disabled" />}
              <span className="sort-more">{formatMoney(item.default_price)}</span>
            </>
          )}
        />
      </div>
      {dialog?.kind === 'network' && <NetworkForm network={dialog.network} onClose={closeDialog} />}
      {dialog?.kind === 'delete' && (
        <DeleteDialog
          name={dialog.name}
          deleteRecord={(options) =>
            unwrap(
              api.DELETE(
                `/api/v1/admin/${dialog.resource}/{id}`,
                createWriteOptionsWithPath({ id: dialog.id }, options),
              ),
            )
          }
          onClose={closeDialog}
          onDone={() => {
            if (dialog.resource === 'networks') setSelectedNetworkId(null);
            setSelectedTypeId(null);
            void queryClient.invalidateQueries({ queryKey: [CATALOGUE_KEY] });
          }}
        />
      )}
      {dialog?.kind === 'type' && <ServiceTypeForm id={dialog.id} networkId={networkId} onClose={closeDialog} />}
    </div>
  );
}
