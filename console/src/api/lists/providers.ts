// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { ProviderStatus, ProviderType } from '../enums';

export const providers = declareList<'ProviderRow'>()({
  name: 'providers',
  path: '/api/v1/admin/providers',
  labels: 'providers',
  defaultColumns: ['id', 'name', 'status', 'is_available', 'external_panel.name', 'external_panel_service_id', 'source_price.amount', 'source_pricing_per', 'services_count'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'enum', enumName: 'ProviderType', values: ProviderType },
    { name: 'external_panel', kind: 'record', recordKind: 'external_panel', inRow: false, hasLabel: false },
    { name: 'external_panel.id', kind: 'id', hasLabel: false },
    { name: 'external_panel.name', kind: 'text', filteredBy: 'external_panel' },
    { name: 'external_panel_service_id', kind: 'exact_text' },
    { name: 'source_price.amount', kind: 'money' },
    { name: 'source_price.currency', kind: 'exact_text' },
    { name: 'source_pricing_per', kind: 'number' },
    { name: 'services_count', kind: 'number' },
    { name: 'status', kind: 'enum', enumName: 'ProviderStatus', values: ProviderStatus },
    { name: 'is_archived', kind: 'flag', hasLabel: false },
    { name: 'is_available', kind: 'flag' },
    { name: 'last_available_at', kind: 'time' },
    { name: 'created_at', kind: 'time' },
    { name: 'updated_at', kind: 'time' },
  ],
  filters: [
    { name: 'is_archived', kind: 'flag' },
  ],
  defaultSort: [['name', false]],
});
