// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';

export const freeTrialQuests = declareList<'FreeTrialQuest'>()({
  name: 'free-trial-quests',
  path: '/api/v1/admin/free-trial-quests',
  labels: 'free-trial-quests',
  defaultColumns: ['id', 'name', 'service.name', 'quantity', 'deadline', 'is_enabled', 'is_repeatable', 'repeats_count', 'allow_proof_url', 'translations', 'is_archived'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'service', kind: 'record', recordKind: 'service', inRow: false, hasLabel: false },
    { name: 'service.id', kind: 'id', hasLabel: false },
    { name: 'service.name', kind: 'text', filteredBy: 'service' },
    { name: 'quantity', kind: 'number' },
    { name: 'deadline', kind: 'time' },
    { name: 'is_enabled', kind: 'flag' },
    { name: 'is_archived', kind: 'flag' },
    { name: 'is_repeatable', kind: 'flag' },
    { name: 'repeats_count', kind: 'number' },
    { name: 'allow_proof_url', kind: 'flag' },
    { name: 'auto_approve_is_allowed', kind: 'flag' },
    { name: 'min_amount_for_auto_approve', kind: 'money' },
    { name: 'is_allowed_with_spend_above', kind: 'flag' },
    { name: 'min_user_spend_amount', kind: 'money' },
    { name: 'created_at', kind: 'time' },
    { name: 'translations', kind: 'json', searchable: false },
  ],
  filters: [
    { name: 'is_archived', kind: 'flag' },
  ],
});
