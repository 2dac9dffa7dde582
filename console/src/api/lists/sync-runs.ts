// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';

export const syncRuns = declareList<'SyncRunRow'>()({
  name: 'sync-runs',
  path: '/api/v1/admin/external-panels/sync-runs',
  labels: 'sync-runs',
  wide: ['id', 'started_at', 'external_panel.name', 'services_count', 'new_count', 'gone_count', 'applied_count', 'held_count', 'imported_count', 'not_imported_count', 'error'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'external_panel', kind: 'record', of: 'external_panel', inRow: false, offered: false },
    { name: 'external_panel.id', kind: 'id', offered: false },
    { name: 'external_panel.name', kind: 'text', filteredBy: 'external_panel' },
    { name: 'started_at', kind: 'time' },
    { name: 'ended_at', kind: 'time' },
    { name: 'services_count', kind: 'number' },
    { name: 'unreadable_count', kind: 'number' },
    { name: 'new_count', kind: 'number' },
    { name: 'gone_count', kind: 'number' },
    { name: 'applied_count', kind: 'number' },
    { name: 'held_count', kind: 'number' },
    { name: 'imported_count', kind: 'number' },
    { name: 'not_imported_count', kind: 'number' },
    { name: 'error', kind: 'text' },
  ],
  filters: [],
});
