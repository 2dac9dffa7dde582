// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { SyncField, SyncState } from '../words';

export const syncChanges = declareList<'SyncChangeRow'>()({
  name: 'sync-changes',
  path: '/api/v1/admin/external-panels/sync-changes',
  labels: 'sync-changes',
  wide: ['id', 'created_at', 'state', 'external_panel.name', 'provider.name', 'service.name', 'field', 'old_value', 'new_value'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'sync_run_id', kind: 'id', offered: false },
    { name: 'external_panel', kind: 'record', of: 'external_panel', inRow: false, offered: false },
    { name: 'external_panel.id', kind: 'id', offered: false },
    { name: 'external_panel.name', kind: 'text', filteredBy: 'external_panel' },
    { name: 'external_panel_service_id', kind: 'exact', offered: false },
    { name: 'provider', kind: 'record', of: 'provider', inRow: false, offered: false },
    { name: 'provider.id', kind: 'id', offered: false },
    { name: 'provider.name', kind: 'text', filteredBy: 'provider' },
    { name: 'service', kind: 'record', of: 'service', inRow: false, offered: false },
    { name: 'service.id', kind: 'id', offered: false },
    { name: 'service.name', kind: 'text', filteredBy: 'service' },
    { name: 'field', kind: 'word', set: 'SyncField', words: SyncField },
    { name: 'old_value', kind: 'text' },
    { name: 'new_value', kind: 'text' },
    { name: 'state', kind: 'word', set: 'SyncState', words: SyncState },
    { name: 'created_at', kind: 'time' },
    { name: 'decided_at', kind: 'time' },
    { name: 'decided_by.id', kind: 'id' },
    { name: 'decided_by.name', kind: 'text', offered: false, searchable: false },
  ],
  filters: [],
});
