// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { Poller, QuarantineStatus } from '../enums';

export const quarantine = declareList<'QuarantineRow'>()({
  name: 'quarantine',
  path: '/api/v1/admin/quarantine',
  labels: 'quarantine',
  defaultColumns: ['id', 'poller', 'record_id', 'status', 'reason', 'crashes', 'first_crash_at', 'retry_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'poller', kind: 'enum', enumName: 'Poller', values: Poller },
    { name: 'record_id', kind: 'number' },
    { name: 'status', kind: 'enum', enumName: 'QuarantineStatus', values: QuarantineStatus },
    { name: 'reason', kind: 'text' },
    { name: 'crashes', kind: 'number' },
    { name: 'first_crash_at', kind: 'time' },
    { name: 'retry_at', kind: 'time' },
    { name: 'updated_at', kind: 'time' },
    { name: 'order_id', kind: 'id', hasLabel: false, searchable: false },
    { name: 'subscription_id', kind: 'id', hasLabel: false, searchable: false },
  ],
  filters: [],
});
