// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';

export const audits = declareList<'AuditRow'>()({
  name: 'audits',
  path: '/api/v1/admin/audits',
  labels: 'audits',
  defaultColumns: ['created_at', 'user.name', 'event', 'auditable_type', 'auditable_id', 'new_values', 'ip_address'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'created_at', kind: 'time' },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
    { name: 'event', kind: 'open_enum' },
    { name: 'auditable_type', kind: 'open_enum' },
    { name: 'auditable_id', kind: 'id' },
    { name: 'target', kind: 'id', inRow: false, hasLabel: false, aliasOf: 'auditable_id' },
    { name: 'ip_address', kind: 'open_enum' },
    { name: 'user_agent', kind: 'text', searchable: false },
    { name: 'request_id', kind: 'text', searchable: false },
    { name: 'old_values', kind: 'json', hasLabel: false, searchable: false },
    { name: 'new_values', kind: 'json', searchable: false },
  ],
  filters: [],
});
