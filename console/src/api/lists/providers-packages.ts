// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { PackageType } from '../enums';

export const providersPackages = declareList<'ProviderPackageRow'>()({
  name: 'providers-packages',
  path: '/api/v1/admin/providers-packages',
  labels: 'providers-packages',
  defaultColumns: ['id', 'name', 'external_panel.name', 'network.name', 'contents_count', 'packages_count', 'fixed_cost', 'discount_fraction', 'sync', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'enum', enumName: 'PackageType', values: PackageType },
    { name: 'external_panel', kind: 'record', recordKind: 'external_panel', inRow: false, hasLabel: false },
    { name: 'external_panel.id', kind: 'id', hasLabel: false },
    { name: 'external_panel.name', kind: 'text', filteredBy: 'external_panel' },
    { name: 'network.id', kind: 'id', hasLabel: false },
    { name: 'network.name', kind: 'text' },
    { name: 'fixed_cost', kind: 'money' },
    { name: 'discount_fraction', kind: 'fraction' },
    { name: 'sync', kind: 'flag' },
    { name: 'created_at', kind: 'time' },
    { name: 'contents_count', kind: 'number', searchable: false },
    { name: 'packages_count', kind: 'number', searchable: false },
  ],
  filters: [],
});
