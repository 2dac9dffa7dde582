// The screen with the packages that external panels sell.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { providersPackages } from '@/api/lists/providers-packages';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty } from '@/form/codec';
import { checkboxCodec, idCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useHasPermission } from '@/session/hooks';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { useNetworks } from '../networks/requests';
import { PackageTabs } from './Tabs';

type ProviderPackageRow = Schemas['ProviderPackageRow'];

/** Opens the dialog in which staff create a package of this panel from a package of an external panel. */
function CreatePackageButton({ row }: { row: ProviderPackageRow }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const [isOpen, setIsOpen] = useState(false);
  if (!hasPermission('manage packages')) return null;
  return (
    <>
      <Button label={t('packages.external.createPackage')} onClick={() => setIsOpen(true)} />
      {isOpen && <CreatePackageDialog row={row} onClose={() => setIsOpen(false)} />}
    </>
  );
}

const PACKAGE_FORM = defineForm<Schemas['PackageInput']>()({ network_id: omitIfEmpty(idCodec), sync: checkboxCodec });

/**
 * Lets the user choose the network, which external panels do not send. The initial values of name and sync are those of the external
 * package.
 */
function CreatePackageDialog({ row, onClose }: { row: ProviderPackageRow; onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const networks = useNetworks().data;
  if (!networks) return null;
  return (
    <FormDialog
      title={t('packages.external.createPackage')}
      confirmLabel={t('packages.external.createPackage')}
      fields={[
        { name: 'name', label: t('packages.external.name'), maxLength: 255 },
        {
          name: 'network_id',
          label: t('packages.external.network'),
          options: [
            ...(row.network ? [] : [{ value: '', label: t('packages.external.chooseNetwork') }]),
            ...networks.map(({ id, name }) => ({ value: String(id), label: name })),
          ],
        },
        { name: 'sync', label: t('packages.external.sync') },
      ]}
      spec={PACKAGE_FORM}
      initialValues={{
        name: row.name,
        ...PACKAGE_FORM.toValues({ network_id: row.network?.id ?? null, sync: row.sync }),
      }}
      send={({ values }, idempotencyKey) => {
        const { name = '' } = values;
        // If the request contains no name, later syncs update the name of the package when the external panel changes it.
        const changedName = name.trim() !== row.name ? { name } : {};
        const body = { provider_package_id: row.id, ...changedName, ...PACKAGE_FORM.toBody(values) };
        return unwrap(api.POST('/api/v1/admin/packages', { body, ...withIdempotencyKey(idempotencyKey) }));
      }}
      successMessage={({ data }) => t('packages.external.created', { name: data.name })}
      invalidatedQueries={[['packages']]}
      onDone={({ data }) => navigate(`/packages/${data.id}`)}
      onClose={onClose}
    />
  );
}

const PROVIDER_PACKAGES: List<ProviderPackageRow> = defineList(providersPackages, {
  title: 'packages.external.title',
  columns: {
    name: 260,
    'external_panel.name': 180,
    'network.name': 140,
    contents_count: 110,
    packages_count: 110,
    fixed_cost: 120,
    sync: 110,
  },
  extraColumns: [
    {
      name: 'make',
      label: 'packages.external.createPackage',
      width: 170,
      sortable: false,
      cell: (row) => <CreatePackageButton row={row} />,
    },
  ],
});

export default function ProviderPackages() {
  return (
    <div className="with-tabs">
      <PackageTabs current="providers" />
      <ServerTable list={PROVIDER_PACKAGES} />
    </div>
  );
}
