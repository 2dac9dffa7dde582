// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { ChangeAction, ChangeModel } from '../enums';

export const changeLogs = declareList<'ChangeLogRow'>()({
  name: 'change-logs',
  path: '/api/v1/admin/services/logs',
  labels: 'change-logs',
  defaultColumns: ['id', 'created_at', 'user.name', 'action_type', 'type', 'target_id', 'information', 'new_value'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'created_at', kind: 'time' },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'action_type', kind: 'enum', enumName: 'ChangeAction', values: ChangeAction },
    { name: 'type', kind: 'enum', enumName: 'ChangeModel', values: ChangeModel },
    { name: 'target_id', kind: 'id' },
    { name: 'target', kind: 'id', inRow: false, hasLabel: false, aliasOf: 'target_id' },
    { name: 'information', kind: 'text' },
    { name: 'old_value', kind: 'text' },
    { name: 'new_value', kind: 'text' },
  ],
  filters: [],
});
