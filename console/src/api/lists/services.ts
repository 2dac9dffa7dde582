// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { PanelServiceType } from '../enums';

export const services = declareList<'ServiceRow'>()({
  name: 'services',
  path: '/api/v1/admin/services',
  labels: 'services',
  defaultColumns: ['id', 'name', 'network.name', 'service_type.name', 'panel_service_type', 'default_price', 'min_quantity', 'max_quantity', 'is_enabled', 'has_refill', 'has_no_active_providers'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'text', inRow: false, hasLabel: false, aliasOf: 'service_type.name' },
    { name: 'service_type.id', kind: 'id', hasLabel: false },
    { name: 'service_type_id', kind: 'id', hasLabel: false, aliasOf: 'service_type.id' },
    { name: 'service_type.name', kind: 'text' },
    { name: 'network', kind: 'text', inRow: false, hasLabel: false },
    { name: 'network.id', kind: 'id', hasLabel: false },
    { name: 'network.name', kind: 'text' },
    { name: 'price', kind: 'money', inRow: false, hasLabel: false, aliasOf: 'default_price' },
    { name: 'default_price', kind: 'money' },
    { name: 'min_price', kind: 'money' },
    { name: 'pricing_per', kind: 'number' },
    { name: 'min_quantity', kind: 'number' },
    { name: 'max_quantity', kind: 'number' },
    { name: 'quantity_step', kind: 'number' },
    { name: 'is_enabled', kind: 'flag' },
    { name: 'is_archived', kind: 'flag' },
    { name: 'moderation_is_enabled', kind: 'flag' },
    { name: 'has_refill', kind: 'flag' },
    { name: 'drip_feed_is_allowed', kind: 'flag' },
    { name: 'panel_service_type', kind: 'enum', enumName: 'PanelServiceType', values: PanelServiceType },
    { name: 'has_no_active_providers', kind: 'flag' },
    { name: 'external_panels', kind: 'record', recordKind: 'external_panel' },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [
    { name: 'is_archived', kind: 'flag' },
  ],
});
