// The screen on which staff sort networks, service types and services. The three lists are side by side, and each is saved
// separately.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { writeInitWithPath } from '@/api/writeOptions';
import { DeleteDialog } from '@/form/DeleteDialog';
import { formatMoney } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { useUnsaved } from '@/ui/unsaved';
import { CatalogueTabs } from '../Tabs';
import {
  CATALOGUE_KEY,
  type Network,
  saveNetworkPositions,
  saveServicePositions,
  saveServiceTypePositions,
  useNetworks,
  useServicesOfType,
  useServiceTypesOf,
} from './calls';
import { NetworkForm, ServiceTypeForm } from './forms';
import { PositionLevel } from './PositionLevel';

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
  const types = useServiceTypesOf(networkId);
  const typeId = selectedTypeId ?? types.data?.[0]?.id ?? null;
  const services = useServicesOfType(typeId);
  // Selecting another network or type replaces the lists beside it, so the user must confirm if the sorting of such a list is
  // unsaved.
  const [areTypesDirty, setAreTypesDirty] = useState(false);
  const [areServicesDirty, setAreServicesDirty] = useState(false);
  const { confirmLeave: confirmLeaveNetwork } = useUnsaved(areTypesDirty || areServicesDirty);
  const { confirmLeave: confirmLeaveType } = useUnsaved(areServicesDirty);
  const queryClient = useQueryClient();
  const close = () => setDialog(null);
  const createButton = (label: string, dialog: OpenDialog) =>
    canManage && <Button variant="plain" iconOnly icon="plus" label={label} onClick={() => setDialog(dialog)} />;
  const editButton = (name: string, dialog: OpenDialog) =>
    canManage && (
      <Button
        variant="plain"
        iconOnly
        icon="pencil"
        label={t('positions.edit', { name })}
        onClick={() => setDialog(dialog)}
      />
    );
  const deleteButton = (resource: 'networks' | 'service-types', { id, name }: { id: number; name: string }) =>
    canManage && (
      <Button
        variant="plain"
        iconOnly
        icon="trash"
        label={t('deleting.title', { name })}
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
          empty={t('positions.noNetworks')}
          query={networks}
          save={saveNetworkPositions}
          selectedId={networkId}
          onSelect={({ id }) => {
            if (id === networkId || !confirmLeaveNetwork()) return;
            setSelectedNetworkId(id);
            setSelectedTypeId(null);
          }}
          tools={createButton(t('networks.create'), { kind: 'network', network: null })}
          renderExtra={(item) => (
            <>
              {editButton(item.name, { kind: 'network', network: item })}
              {deleteButton('networks', item)}
            </>
          )}
        />
        <PositionLevel
          key={`types of ${networkId}`}
          title={t('positions.types')}
          empty={t('positions.noTypes')}
          query={types}
          save={(ids) => saveServiceTypePositions(networkId ?? 0, ids)}
          selectedId={typeId}
          onSelect={({ id }) => id !== typeId && confirmLeaveType() && setSelectedTypeId(id)}
          onDirtyChange={setAreTypesDirty}
          tools={networkId !== null && createButton(t('serviceTypes.create'), { kind: 'type', id: null })}
          renderExtra={(item) => (
            <>
              <span className="sort-more">{item.services_count}</span>
              {editButton(item.name, { kind: 'type', id: item.id })}
              {deleteButton('service-types', item)}
            </>
          )}
        />
        <PositionLevel
          key={`services of ${typeId}`}
          title={t('positions.services')}
          empty={t('positions.noServices')}
          query={services}
          save={(ids) => saveServicePositions(typeId ?? 0, ids)}
          onDirtyChange={setAreServicesDirty}
          renderExtra={(item) => (
            <>
              {!item.is_enabled && <StatusTag status="disabled" />}
              <span className="sort-more">{formatMoney(item.default_price)}</span>
            </>
          )}
        />
      </div>
      {dialog?.kind === 'network' && <NetworkForm network={dialog.network} onClose={close} />}
      {dialog?.kind === 'delete' && (
        <DeleteDialog
          name={dialog.name}
          remove={(options) =>
            unwrap(api.DELETE(`/api/v1/admin/${dialog.resource}/{id}`, writeInitWithPath({ id: dialog.id }, options)))
          }
          onClose={close}
          onDone={() => {
            if (dialog.resource === 'networks') setSelectedNetworkId(null);
            setSelectedTypeId(null);
            void queryClient.invalidateQueries({ queryKey: [CATALOGUE_KEY] });
          }}
        />
      )}
      {dialog?.kind === 'type' && <ServiceTypeForm id={dialog.id} networkId={networkId} onClose={close} />}
    </div>
  );
}
