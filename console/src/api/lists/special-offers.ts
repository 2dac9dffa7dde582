// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { OfferPlace, OfferPosition, OfferStatus } from '../words';

export const specialOffers = declareList<'SpecialOfferRow'>()({
  name: 'special-offers',
  path: '/api/v1/admin/special-offers',
  labels: 'special-offers',
  wide: ['id', 'name', 'network.name', 'place', 'position', 'status', 'services_count', 'service_types_count'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'network', kind: 'text', inRow: false, offered: false },
    { name: 'network.id', kind: 'id', offered: false },
    { name: 'network.name', kind: 'text', filteredBy: 'network' },
    { name: 'place', kind: 'word', set: 'OfferPlace', words: OfferPlace },
    { name: 'position', kind: 'word', set: 'OfferPosition', words: OfferPosition },
    { name: 'services_count', kind: 'number' },
    { name: 'service_types_count', kind: 'number' },
    { name: 'status', kind: 'word', set: 'OfferStatus', words: OfferStatus },
    { name: 'is_enabled', kind: 'flag', offered: false },
    { name: 'is_archived', kind: 'flag', offered: false },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [],
});
