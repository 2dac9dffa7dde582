// Packages that external panels sell.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { providersPackages } from '@/api/lists/providers-packages';
import { unlessEmpty } from '@/form/codec';
import { id, tick } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { formOf } from '@/form/spec';
import { useMay } from '@/session/hooks';
import type { List } from '@/table/declare';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
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

const MADE = formOf<Schemas['PackageInput']>()({ network_id: unlessEmpty(id), sync: tick });

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
        { name: 'sync', label: t('packages.provided.sync') },
      ]}
      spec={MADE}
      initial={{ name: row.name, ...MADE.valuesOf({ network_id: row.network?.id ?? null, sync: row.sync }) }}
      send={({ values }, key) => {
        const { name = '' } = values;
        // A name that stays the panel's is followed.
        const own = name.trim() !== row.name ? { name } : {};
        const body = { provider_package_id: row.id, ...own, ...MADE.wholeOf(values) };
        return unwrap(api.POST('/api/v1/admin/packages', { body, ...keyed(key) }));
      }}
      success={({ data }) => t('packages.provided.made', { name: data.name })}
      invalidates={[['packages']]}
      onDone={({ data }) => navigate(`/packages/${data.id}`)}
      onClose={onClose}
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
