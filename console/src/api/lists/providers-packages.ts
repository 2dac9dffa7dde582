// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { PackageType } from '../words';

export const providersPackages = declareList<'ProviderPackageRow'>()({
  name: 'providers-packages',
  path: '/api/v1/admin/providers-packages',
  labels: 'providers-packages',
  wide: ['id', 'name', 'external_panel.name', 'network.name', 'contents_count', 'packages_count', 'fixed_cost', 'discount_percent', 'sync', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'word', set: 'PackageType', words: PackageType },
    { name: 'external_panel', kind: 'record', of: 'external_panel', inRow: false, offered: false },
    { name: 'external_panel.id', kind: 'id', offered: false },
    { name: 'external_panel.name', kind: 'text', filteredBy: 'external_panel' },
    { name: 'network.id', kind: 'id', offered: false },
    { name: 'network.name', kind: 'text' },
    { name: 'fixed_cost', kind: 'money' },
    { name: 'discount_percent', kind: 'fraction' },
    { name: 'sync', kind: 'flag' },
    { name: 'created_at', kind: 'time' },
    { name: 'contents_count', kind: 'number', searchable: false },
    { name: 'packages_count', kind: 'number', searchable: false },
  ],
  filters: [],
});
