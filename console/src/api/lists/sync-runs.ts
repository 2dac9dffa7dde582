// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';

export const syncRuns = declareList<'SyncRunRow'>()({
  name: 'sync-runs',
  path: '/api/v1/admin/external-panels/sync-runs',
  labels: 'sync-runs',
  defaultColumns: ['id', 'started_at', 'external_panel.name', 'services_count', 'new_count', 'vanished_count', 'applied_count', 'held_count', 'imported_count', 'not_imported_count', 'error'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'external_panel', kind: 'record', recordKind: 'external_panel', inRow: false, hasLabel: false },
    { name: 'external_panel.id', kind: 'id', hasLabel: false },
    { name: 'external_panel.name', kind: 'text', filteredBy: 'external_panel' },
    { name: 'started_at', kind: 'time' },
    { name: 'ended_at', kind: 'time' },
    { name: 'services_count', kind: 'number' },
    { name: 'unreadable_count', kind: 'number' },
    { name: 'new_count', kind: 'number' },
    { name: 'vanished_count', kind: 'number' },
    { name: 'applied_count', kind: 'number' },
    { name: 'held_count', kind: 'number' },
    { name: 'imported_count', kind: 'number' },
    { name: 'not_imported_count', kind: 'number' },
    { name: 'error', kind: 'text' },
  ],
  filters: [],
});
