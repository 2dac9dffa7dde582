// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { OfferPlace, OfferPosition, OfferStatus } from '../enums';

export const specialOffers = declareList<'SpecialOfferRow'>()({
  name: 'special-offers',
  path: '/api/v1/admin/special-offers',
  labels: 'special-offers',
  defaultColumns: ['id', 'name', 'network.name', 'place', 'position', 'status', 'services_count', 'service_types_count'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'network', kind: 'text', inRow: false, hasLabel: false },
    { name: 'network.id', kind: 'id', hasLabel: false },
    { name: 'network.name', kind: 'text', filteredBy: 'network' },
    { name: 'place', kind: 'enum', enumName: 'OfferPlace', values: OfferPlace },
    { name: 'position', kind: 'enum', enumName: 'OfferPosition', values: OfferPosition },
    { name: 'services_count', kind: 'number' },
    { name: 'service_types_count', kind: 'number' },
    { name: 'status', kind: 'enum', enumName: 'OfferStatus', values: OfferStatus },
    { name: 'is_enabled', kind: 'flag', hasLabel: false },
    { name: 'is_archived', kind: 'flag', hasLabel: false },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [],
});
