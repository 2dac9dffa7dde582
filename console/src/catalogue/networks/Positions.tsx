// The three levels of the catalogue side by side, each put in order and saved as a whole.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { initAt } from '@/api/how';
import { DeleteDialog } from '@/form/DeleteDialog';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { useUnsaved } from '@/ui/unsaved';
import { CatalogueTabs } from '../Tabs';
import {
  KEY,
  type Network,
  saveNetworks,
  saveServices,
  saveTypes,
  useNetworks,
  useServicesOf,
  useTypesOf,
} from './calls';
import { NetworkForm, TypeForm } from './forms';
import { Level } from './Level';

type Dialog =
  | { kind: 'network'; network: Network | null }
  | { kind: 'type'; id: number | null }
  | { kind: 'delete'; of: 'networks' | 'service-types'; id: number; name: string };

export default function Positions() {
  const { t } = useTranslation();
  const manages = useMay()('manage service types');
  const [wantedNetwork, setNetwork] = useState<number | null>(null);
  const [wantedType, setType] = useState<number | null>(null);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const networks = useNetworks();
  const network = wantedNetwork ?? networks.data?.[0]?.id ?? null;
  const types = useTypesOf(network);
  const type = wantedType ?? types.data?.[0]?.id ?? null;
  const services = useServicesOf(type);
  // Choosing above takes what stands below off the screen: an order that is not saved there is asked about.
  const [typesMoved, setTypesMoved] = useState(false);
  const [servicesMoved, setServicesMoved] = useState(false);
  const { mayLeave: leavesNetwork } = useUnsaved(typesMoved || servicesMoved);
  const { mayLeave: leavesType } = useUnsaved(servicesMoved);
  const queries = useQueryClient();
  const close = () => setDialog(null);
  const add = (label: string, dialog: Dialog) =>
    manages && <Button look="plain" iconOnly icon="plus" label={label} onClick={() => setDialog(dialog)} />;
  const edit = (name: string, dialog: Dialog) =>
    manages && (
      <Button
        look="plain"
        iconOnly
        icon="pencil"
        label={t('positions.edit', { name })}
        onClick={() => setDialog(dialog)}
      />
    );
  const remove = (of: 'networks' | 'service-types', { id, name }: { id: number; name: string }) =>
    manages && (
      <Button
        look="plain"
        iconOnly
        icon="trash"
        label={t('deleting.title', { name })}
        onClick={() => setDialog({ kind: 'delete', of, id, name })}
      />
    );
  return (
    <div className="record">
      <CatalogueTabs now="positions" />
      <h1 tabIndex={-1}>{t('positions.title')}</h1>
      <p className="hint">{t('positions.hint')}</p>
      <div className="levels">
        <Level
          title={t('positions.networks')}
          empty={t('positions.noNetworks')}
          query={networks}
          save={saveNetworks}
          chosen={network}
          onChoose={({ id }) => {
            if (id === network || !leavesNetwork()) return;
            setNetwork(id);
            setType(null);
          }}
          tools={add(t('networks.create'), { kind: 'network', network: null })}
          more={(item) => (
            <>
              {edit(item.name, { kind: 'network', network: item })}
              {remove('networks', item)}
            </>
          )}
        />
        <Level
          key={`types of ${network}`}
          title={t('positions.types')}
          empty={t('positions.noTypes')}
          query={types}
          save={(ids) => saveTypes(network ?? 0, ids)}
          chosen={type}
          onChoose={({ id }) => id !== type && leavesType() && setType(id)}
          onMoved={setTypesMoved}
          tools={network !== null && add(t('serviceTypes.create'), { kind: 'type', id: null })}
          more={(item) => (
            <>
              <span className="sort-more">{item.services_count}</span>
              {edit(item.name, { kind: 'type', id: item.id })}
              {remove('service-types', item)}
            </>
          )}
        />
        <Level
          key={`services of ${type}`}
          title={t('positions.services')}
          empty={t('positions.noServices')}
          query={services}
          save={(ids) => saveServices(type ?? 0, ids)}
          onMoved={setServicesMoved}
          more={(item) => (
            <>
              {!item.is_enabled && <StatusTag status="disabled" />}
              <span className="sort-more">{money(item.default_price)}</span>
            </>
          )}
        />
      </div>
      {dialog?.kind === 'network' && <NetworkForm network={dialog.network} onClose={close} />}
      {dialog?.kind === 'delete' && (
        <DeleteDialog
          name={dialog.name}
          remove={(how) => unwrap(api.DELETE(`/api/v1/admin/${dialog.of}/{id}`, initAt({ id: dialog.id }, how)))}
          onClose={close}
          onDone={() => {
            if (dialog.of === 'networks') setNetwork(null);
            setType(null);
            void queries.invalidateQueries({ queryKey: [KEY] });
          }}
        />
      )}
      {dialog?.kind === 'type' && <TypeForm id={dialog.id} network={network} onClose={close} />}
    </div>
  );
}
