// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { PanelServiceRejection } from '../enums';

export const externalPanelServices = declareList<'PanelService'>()({
  name: 'external-panel-services',
  path: '/api/v1/admin/external-panels/{id}/services',
  labels: 'external-panel-services',
  defaultColumns: ['external_panel_service_id', 'name', 'category', 'type', 'external_panel_price', 'pricing_per', 'min_quantity', 'max_quantity', 'refill', 'is_imported', 'rejection_kind', 'is_vanished'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'external_panel_service_id', kind: 'exact_text' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'exact_text' },
    { name: 'category', kind: 'text' },
    { name: 'external_panel_price', kind: 'money' },
    { name: 'pricing_per', kind: 'number' },
    { name: 'min_quantity', kind: 'number' },
    { name: 'max_quantity', kind: 'number' },
    { name: 'refill', kind: 'flag' },
    { name: 'cancel', kind: 'flag' },
    { name: 'provider.id', kind: 'id', hasLabel: false },
    { name: 'is_imported', kind: 'flag', inRow: false },
    { name: 'rejection_kind', kind: 'enum', enumName: 'PanelServiceRejection', values: PanelServiceRejection },
    { name: 'is_rejected', kind: 'flag', inRow: false },
    { name: 'is_vanished', kind: 'flag', inRow: false },
    { name: 'vanished_at', kind: 'time' },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [
    { name: 'external_panel_id', kind: 'id', hasLabel: false },
  ],
});
