// The position editor: networks, service types and services side by side. The order of each level is saved at once.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { writeInitAt } from '@/api/writeOptions';
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
  saveNetworkOrder,
  saveServiceOrder,
  saveServiceTypeOrder,
  useNetworks,
  useServicesOfType,
  useServiceTypesOf,
} from './calls';
import { NetworkForm, ServiceTypeForm } from './forms';
import { PositionLevel } from './PositionLevel';

type Dialog =
  | { kind: 'network'; network: Network | null }
  | { kind: 'type'; id: number | null }
  | { kind: 'delete'; resource: 'networks' | 'service-types'; id: number; name: string };

export default function Positions() {
  const { t } = useTranslation();
  const canManage = useHasPermission()('manage service types');
  const [selectedNetwork, setNetwork] = useState<number | null>(null);
  const [selectedType, setType] = useState<number | null>(null);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const networks = useNetworks();
  const network = selectedNetwork ?? networks.data?.[0]?.id ?? null;
  const types = useServiceTypesOf(network);
  const type = selectedType ?? types.data?.[0]?.id ?? null;
  const services = useServicesOfType(type);
  // Selecting another network or type replaces the lists below it, so the person must confirm if an order there is unsaved.
  const [typesDirty, setTypesDirty] = useState(false);
  const [servicesDirty, setServicesDirty] = useState(false);
  const { confirmLeave: confirmLeaveNetwork } = useUnsaved(typesDirty || servicesDirty);
  const { confirmLeave: confirmLeaveType } = useUnsaved(servicesDirty);
  const queries = useQueryClient();
  const close = () => setDialog(null);
  const add = (label: string, dialog: Dialog) =>
    canManage && <Button variant="plain" iconOnly icon="plus" label={label} onClick={() => setDialog(dialog)} />;
  const edit = (name: string, dialog: Dialog) =>
    canManage && (
      <Button
        variant="plain"
        iconOnly
        icon="pencil"
        label={t('positions.edit', { name })}
        onClick={() => setDialog(dialog)}
      />
    );
  const remove = (resource: 'networks' | 'service-types', { id, name }: { id: number; name: string }) =>
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
          save={saveNetworkOrder}
          selectedId={network}
          onSelect={({ id }) => {
            if (id === network || !confirmLeaveNetwork()) return;
            setNetwork(id);
            setType(null);
          }}
          tools={add(t('networks.create'), { kind: 'network', network: null })}
          renderExtra={(item) => (
            <>
              {edit(item.name, { kind: 'network', network: item })}
              {remove('networks', item)}
            </>
          )}
        />
        <PositionLevel
          key={`types of ${network}`}
          title={t('positions.types')}
          empty={t('positions.noTypes')}
          query={types}
          save={(ids) => saveServiceTypeOrder(network ?? 0, ids)}
          selectedId={type}
          onSelect={({ id }) => id !== type && confirmLeaveType() && setType(id)}
          onDirtyChange={setTypesDirty}
          tools={network !== null && add(t('serviceTypes.create'), { kind: 'type', id: null })}
          renderExtra={(item) => (
            <>
              <span className="sort-more">{item.services_count}</span>
              {edit(item.name, { kind: 'type', id: item.id })}
              {remove('service-types', item)}
            </>
          )}
        />
        <PositionLevel
          key={`services of ${type}`}
          title={t('positions.services')}
          empty={t('positions.noServices')}
          query={services}
          save={(ids) => saveServiceOrder(type ?? 0, ids)}
          onDirtyChange={setServicesDirty}
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
            unwrap(api.DELETE(`/api/v1/admin/${dialog.resource}/{id}`, writeInitAt({ id: dialog.id }, options)))
          }
          onClose={close}
          onDone={() => {
            if (dialog.resource === 'networks') setNetwork(null);
            setType(null);
            void queries.invalidateQueries({ queryKey: [CATALOGUE_KEY] });
          }}
        />
      )}
      {dialog?.kind === 'type' && <ServiceTypeForm id={dialog.id} network={network} onClose={close} />}
    </div>
  );
}
