// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { SyncField, SyncState } from '../enums';

export const syncChanges = declareList<'SyncChangeRow'>()({
  name: 'sync-changes',
  path: '/api/v1/admin/external-panels/sync-changes',
  labels: 'sync-changes',
  defaultColumns: ['id', 'created_at', 'state', 'external_panel.name', 'provider.name', 'service.name', 'field', 'old_value', 'new_value'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'sync_run_id', kind: 'id', hasLabel: false },
    { name: 'external_panel', kind: 'record', recordKind: 'external_panel', inRow: false, hasLabel: false },
    { name: 'external_panel.id', kind: 'id', hasLabel: false },
    { name: 'external_panel.name', kind: 'text', filteredBy: 'external_panel' },
    { name: 'external_panel_service_id', kind: 'exact_text', hasLabel: false },
    { name: 'provider', kind: 'record', recordKind: 'provider', inRow: false, hasLabel: false },
    { name: 'provider.id', kind: 'id', hasLabel: false },
    { name: 'provider.name', kind: 'text', filteredBy: 'provider' },
    { name: 'service', kind: 'record', recordKind: 'service', inRow: false, hasLabel: false },
    { name: 'service.id', kind: 'id', hasLabel: false },
    { name: 'service.name', kind: 'text', filteredBy: 'service' },
    { name: 'field', kind: 'enum', enumName: 'SyncField', values: SyncField },
    { name: 'old_value', kind: 'text' },
    { name: 'new_value', kind: 'text' },
    { name: 'state', kind: 'enum', enumName: 'SyncState', values: SyncState },
    { name: 'created_at', kind: 'time' },
    { name: 'decided_at', kind: 'time' },
    { name: 'decided_by.id', kind: 'id' },
    { name: 'decided_by.name', kind: 'text', hasLabel: false, searchable: false },
  ],
  filters: [],
});
