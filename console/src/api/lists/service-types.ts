// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { ServiceTypeKind } from '../words';

export const serviceTypes = declareList<'ServiceTypeRow'>()({
  name: 'service-types',
  path: '/api/v1/admin/service-types',
  labels: 'service-types',
  wide: ['id', 'name', 'network.name', 'type', 'slug', 'services_count', 'sorting', 'reviews_count', 'reviews_rating'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'network', kind: 'text', inRow: false, offered: false },
    { name: 'network.id', kind: 'id', offered: false },
    { name: 'network.name', kind: 'text', filteredBy: 'network' },
    { name: 'title', kind: 'text' },
    { name: 'type', kind: 'word', set: 'ServiceTypeKind', words: ServiceTypeKind },
    { name: 'slug', kind: 'text' },
    { name: 'sorting', kind: 'number' },
    { name: 'services_count', kind: 'number' },
    { name: 'reviews_count', kind: 'number' },
    { name: 'reviews_rating', kind: 'fraction' },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [],
});
