// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { FreeTrialStatus } from '../words';

export const freeTrials = declareList<'FreeTrial'>()({
  name: 'free-trials',
  path: '/api/v1/admin/free-trials',
  labels: 'free-trials',
  wide: ['id', 'created_at', 'status', 'name', 'user.name', 'quantity', 'url', 'proof_url', 'order_id', 'valid_to', 'approved_by.name'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'url', kind: 'text' },
    { name: 'proof_url', kind: 'text' },
    { name: 'quantity', kind: 'number' },
    { name: 'status', kind: 'word', set: 'FreeTrialStatus', words: FreeTrialStatus },
    { name: 'order_id', kind: 'id' },
    { name: 'approved_at', kind: 'time' },
    { name: 'approved_by', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'approved_by.id', kind: 'id', offered: false },
    { name: 'approved_by.name', kind: 'text', filteredBy: 'approved_by' },
    { name: 'created_at', kind: 'time' },
    { name: 'free_trial_quest_id', kind: 'id' },
    { name: 'valid_from', kind: 'time' },
    { name: 'valid_to', kind: 'time' },
    { name: 'user', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'user.id', kind: 'id', offered: false },
    { name: 'user.name', kind: 'text', filteredBy: 'user' },
    { name: 'user.email', kind: 'text', offered: false },
  ],
  filters: [
    { name: 'user_id', kind: 'id', offered: false },
    { name: 'quest_id', kind: 'id', offered: false },
  ],
});
