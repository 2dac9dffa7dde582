// Packages that external panels sell.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { count, percent } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { type Column, filterOnly, type List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { FormDialog } from '@/ui/FormDialog';
import { percentOf } from '@/ui/fraction';
import { toast } from '@/ui/toasts';
import { useNetworks } from '../networks/calls';
import { PackageTabs } from './Tabs';

type Row = Schemas['ProviderPackageRow'];

const c = columnsOf<Row>('packages');

const number = (name: 'contents_count' | 'packages_count', label: string): Column<Row> => ({
  name,
  label,
  width: 110,
  align: 'end',
  sortable: false,
  cell: (row) => count(row[name]),
});

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

const LIST: List<Row> = {
  name: 'providers-packages',
  title: 'packages.provided.title',
  path: '/api/v1/admin/providers-packages',
  columns: [
    c.id(80),
    c.text('name', 'name', 260),
    c.record('panel', 'external_panel', 'panel', 180),
    { ...c.named('network', 'network', 140), filterName: 'network.name' },
    number('contents_count', 'packages.columns.services'),
    number('packages_count', 'packages.title'),
    c.money('fixed_cost', 'fixedCost', 120),
    {
      name: 'discount_percent',
      label: 'packages.columns.discount',
      width: 100,
      align: 'end',
      filter: { kind: 'share' },
      cell: (row) => percent(percentOf(row.discount_percent)),
    },
    filterOnly('type', 'packages.columns.type', {
      kind: 'words',
      words: ['auto', 'manual'],
      texts: 'packages.kinds',
    }),
    c.flag('sync', 'sync', 110),
    c.time('created_at', 'createdAt'),
    {
      name: 'make',
      label: 'packages.provided.make',
      width: 170,
      sortable: false,
      cell: (row) => <Make row={row} />,
    },
  ],
};

export default function Provided() {
  return (
    <div className="with-tabs">
      <PackageTabs now="providers" />
      <ServerTable list={LIST} />
    </div>
  );
}
