// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { ServiceTypeKind } from '../enums';

export const serviceTypes = declareList<'ServiceTypeRow'>()({
  name: 'service-types',
  path: '/api/v1/admin/service-types',
  labels: 'service-types',
  defaultColumns: ['id', 'name', 'network.name', 'type', 'slug', 'services_count', 'sorting', 'reviews_count', 'reviews_rating'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'network', kind: 'text', inRow: false, hasLabel: false },
    { name: 'network.id', kind: 'id', hasLabel: false },
    { name: 'network.name', kind: 'text', filteredBy: 'network' },
    { name: 'title', kind: 'text' },
    { name: 'type', kind: 'enum', enumName: 'ServiceTypeKind', values: ServiceTypeKind },
    { name: 'slug', kind: 'text' },
    { name: 'sorting', kind: 'number' },
    { name: 'services_count', kind: 'number' },
    { name: 'reviews_count', kind: 'number' },
    { name: 'reviews_rating', kind: 'fraction' },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [],
});
