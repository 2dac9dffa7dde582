// Packages that external panels sell.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { providersPackages } from '@/api/lists/providers-packages';
import { useMay } from '@/session/hooks';
import type { List } from '@/table/declare';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { FormDialog } from '@/ui/FormDialog';
import { toast } from '@/ui/toasts';
import { useNetworks } from '../networks/calls';
import { PackageTabs } from './Tabs';

type Row = Schemas['ProviderPackageRow'];

/** A package of ours, made of one that was imported. */
function Make({ row }: { row: Row }) {
  const { t } = useTranslation();
  const may = useMay();
  const [open, setOpen] = useState(false);
  if (!may('manage packages')) return null;
  return (
    <>
      <Button label={t('packages.provided.make')} onClick={() => setOpen(true)} />
      {open && <MakeForm row={row} onClose={() => setOpen(false)} />}
    </>
  );
}

/** What the external panel does not say: where the package belongs. The rest begins as the panel has it. */
function MakeForm({ row, onClose }: { row: Row; onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const networks = useNetworks().data;
  if (!networks) return null;
  return (
    <FormDialog
      title={t('packages.provided.make')}
      confirm={t('packages.provided.make')}
      fields={[
        { name: 'name', label: t('packages.provided.name'), maxLength: 255 },
        {
          name: 'network_id',
          label: t('packages.provided.network'),
          options: [
            ...(row.network ? [] : [{ value: '', label: t('packages.provided.chooseNetwork') }]),
            ...networks.map(({ id, name }) => ({ value: String(id), label: name })),
          ],
        },
        { name: 'sync', label: t('packages.provided.sync'), mode: 'tick' },
      ]}
      initial={{
        name: row.name,
        network_id: row.network ? String(row.network.id) : '',
        sync: row.sync ? 'yes' : '',
      }}
      onClose={onClose}
      onSave={async ({ name = '', network_id = '', sync = '' }) => {
        const body = {
          provider_package_id: row.id,
          // A name that stays the panel's is followed.
          ...(name.trim() !== row.name ? { name } : {}),
          ...(network_id ? { network_id: Number(network_id) } : {}),
          sync: sync === 'yes',
        } as Schemas['PackageInput'];
        const { data } = await told(api.POST('/api/v1/admin/packages', { body }));
        toast({ tone: 'success', text: t('packages.provided.made', { name: data.name }) });
        navigate(`/packages/${data.id}`);
      }}
    />
  );
}

const LIST: List<Row> = listOf(providersPackages, {
  title: 'packages.provided.title',
  columns: {
    name: 260,
    'external_panel.name': 180,
    'network.name': 140,
    contents_count: 110,
    packages_count: 110,
    fixed_cost: 120,
    sync: 110,
  },
  extra: [
    { name: 'make', label: 'packages.provided.make', width: 170, sortable: false, cell: (row) => <Make row={row} /> },
  ],
});

export default function Provided() {
  return (
    <div className="with-tabs">
      <PackageTabs now="providers" />
      <ServerTable list={LIST} />
    </div>
  );
}
