// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';

export const grades = declareList<'Grade'>()({
  name: 'grades',
  path: '/api/v1/admin/grades',
  labels: 'grades',
  defaultColumns: ['id', 'name', 'discount_fraction', 'spending_goal', 'users_count', 'thumbnail_period', 'consultation_chat_period', 'available_closed_sales', 'available_personal_manager', 'translations', 'is_archived'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'created_at', kind: 'time' },
    { name: 'users_count', kind: 'number' },
    { name: 'discount_fraction', kind: 'fraction' },
    { name: 'thumbnail_period', kind: 'number' },
    { name: 'consultation_chat_period', kind: 'number' },
    { name: 'available_closed_sales', kind: 'flag' },
    { name: 'available_personal_manager', kind: 'flag' },
    { name: 'spending_goal', kind: 'money' },
    { name: 'is_archived', kind: 'flag' },
    { name: 'icon', kind: 'text', hasLabel: false, searchable: false },
    { name: 'translations', kind: 'json', searchable: false },
  ],
  filters: [
    { name: 'is_archived', kind: 'flag' },
  ],
});
