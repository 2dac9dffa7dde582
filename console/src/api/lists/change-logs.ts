// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { ChangeAction, ChangeModel } from '../words';

export const changeLogs = declareList<'ChangeLogRow'>()({
  name: 'change-logs',
  path: '/api/v1/admin/services/logs',
  labels: 'change-logs',
  wide: ['id', 'created_at', 'user.name', 'action_type', 'type', 'target_id', 'information', 'new_value'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'created_at', kind: 'time' },
    { name: 'user', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'user.id', kind: 'id', offered: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'action_type', kind: 'word', set: 'ChangeAction', words: ChangeAction },
    { name: 'type', kind: 'word', set: 'ChangeModel', words: ChangeModel },
    { name: 'target_id', kind: 'id' },
    { name: 'target', kind: 'id', inRow: false, offered: false, aliasOf: 'target_id' },
    { name: 'information', kind: 'text' },
    { name: 'old_value', kind: 'text' },
    { name: 'new_value', kind: 'text' },
  ],
  filters: [],
});
