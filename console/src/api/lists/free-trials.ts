// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { FreeTrialStatus } from '../enums';

export const freeTrials = declareList<'FreeTrial'>()({
  name: 'free-trials',
  path: '/api/v1/admin/free-trials',
  labels: 'free-trials',
  defaultColumns: ['id', 'created_at', 'status', 'name', 'user.name', 'quantity', 'url', 'proof_url', 'order_id', 'valid_to', 'approved_by.name'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'url', kind: 'text' },
    { name: 'proof_url', kind: 'text' },
    { name: 'quantity', kind: 'number' },
    { name: 'status', kind: 'enum', enumName: 'FreeTrialStatus', values: FreeTrialStatus },
    { name: 'order_id', kind: 'id' },
    { name: 'approved_at', kind: 'time' },
    { name: 'approved_by', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'approved_by.id', kind: 'id', hasLabel: false },
    { name: 'approved_by.name', kind: 'text', filteredBy: 'approved_by' },
    { name: 'created_at', kind: 'time' },
    { name: 'free_trial_quest_id', kind: 'id' },
    { name: 'valid_from', kind: 'time' },
    { name: 'valid_to', kind: 'time' },
    { name: 'user', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'user.id', kind: 'id', hasLabel: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', hasLabel: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', hasLabel: false },
    { name: 'quest_id', kind: 'id', hasLabel: false },
  ],
});
