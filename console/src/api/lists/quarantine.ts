// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { Poller, QuarantineStatus } from '../words';

export const quarantine = declareList<'QuarantineRow'>()({
  name: 'quarantine',
  path: '/api/v1/admin/quarantine',
  labels: 'quarantine',
  wide: ['id', 'poller', 'record_id', 'status', 'reason', 'deaths', 'first_death_at', 'retry_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'poller', kind: 'word', set: 'Poller', words: Poller },
    { name: 'record_id', kind: 'number' },
    { name: 'status', kind: 'word', set: 'QuarantineStatus', words: QuarantineStatus },
    { name: 'reason', kind: 'text' },
    { name: 'deaths', kind: 'number' },
    { name: 'first_death_at', kind: 'time' },
    { name: 'retry_at', kind: 'time' },
    { name: 'updated_at', kind: 'time' },
    { name: 'order_id', kind: 'id', offered: false, searchable: false },
    { name: 'subscription_id', kind: 'id', offered: false, searchable: false },
  ],
  filters: [],
});
