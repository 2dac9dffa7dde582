// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { PackageType } from '../enums';

export const packages = declareList<'PackageRow'>()({
  name: 'packages',
  path: '/api/v1/admin/packages',
  labels: 'packages',
  defaultColumns: ['id', 'name', 'type', 'network.name', 'contents_count', 'default_cost', 'total_cost', 'difference', 'discount_fraction', 'is_enabled'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'enum', enumName: 'PackageType', values: PackageType },
    { name: 'network', kind: 'text', inRow: false, hasLabel: false },
    { name: 'network.id', kind: 'id', hasLabel: false },
    { name: 'network.name', kind: 'text', filteredBy: 'network' },
    { name: 'service_type', kind: 'text', inRow: false, hasLabel: false },
    { name: 'service_type.id', kind: 'id', hasLabel: false },
    { name: 'service_type.name', kind: 'text', filteredBy: 'service_type' },
    { name: 'provider', kind: 'record', recordKind: 'external_panel', inRow: false, hasLabel: false },
    { name: 'provider.id', kind: 'id', hasLabel: false },
    { name: 'provider.name', kind: 'text', filteredBy: 'provider' },
    { name: 'is_enabled', kind: 'flag' },
    { name: 'is_archived', kind: 'flag' },
    { name: 'restricted_access', kind: 'flag' },
    { name: 'sync', kind: 'flag' },
    { name: 'slug', kind: 'text' },
    { name: 'fixed_cost', kind: 'money' },
    { name: 'discount_fraction', kind: 'fraction' },
    { name: 'default_cost', kind: 'money' },
    { name: 'total_cost', kind: 'money' },
    { name: 'difference', kind: 'money' },
    { name: 'contents_count', kind: 'number' },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [
    { name: 'is_archived', kind: 'flag' },
  ],
});
