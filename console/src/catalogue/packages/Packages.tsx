// The screen with the list of packages. A package is a set of services that customers buy together.
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { packages } from '@/api/lists/packages';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { PACKAGE_ACTIONS } from './actions';
import type { PackageRow } from './requests';
import { PackageTabs } from './Tabs';

const PACKAGES: List<PackageRow> = defineList(packages, {
  title: 'packages.title',
  columns: {
    id: { linkTo: (row) => `/packages/${row.id}` },
    name: 240,
    type: 150,
    'network.name': 130,
    'service_type.name': 150,
    is_enabled: {
      width: 130,
      cell: (row) => <StatusTag status={row.is_archived ? 'archived' : row.is_enabled ? 'active' : 'disabled'} />,
    },
    sync: 110,
    'provider.name': 150,
    restricted_access: 120,
    slug: 140,
  },
  defaultFilters: { is_archived: '0' },
  actions: PACKAGE_ACTIONS,
  getRecordUrl: (row) => `/packages/${row.id}`,
});

export default function Packages() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return (
    <div className="with-tabs">
      <PackageTabs current="" />
      <ServerTable
        list={PACKAGES}
        tools={<Button icon="plus" label={t('packages.create')} onClick={() => navigate('/packages/create')} />}
      />
    </div>
  );
}
