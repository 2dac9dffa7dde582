// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { PanelStatus, PanelType, StatisticType } from '../enums';

export const externalPanels = declareList<'ExternalPanel'>()({
  name: 'external-panels',
  path: '/api/v1/admin/external-panels',
  labels: 'external-panels',
  defaultColumns: ['id', 'name', 'type', 'status', 'balance', 'currency', 'last_ok_at', 'last_error', 'sync_services', 'providers_count', 'open_orders_count', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'enum', enumName: 'PanelType', values: PanelType },
    { name: 'status', kind: 'enum', enumName: 'PanelStatus', values: PanelStatus },
    { name: 'statistic_type', kind: 'enum', enumName: 'StatisticType', values: StatisticType },
    { name: 'endpoint', kind: 'text' },
    { name: 'api_token_hint', kind: 'text', hasLabel: false },
    { name: 'api_token', kind: 'text', inRow: false, hasLabel: false, aliasOf: 'api_token_hint' },
    { name: 'currency', kind: 'exact_text' },
    { name: 'balance', kind: 'money' },
    { name: 'balance_at', kind: 'time', hasLabel: false },
    { name: 'low_balance', kind: 'money', hasLabel: false },
    { name: 'last_ok_at', kind: 'time' },
    { name: 'last_error', kind: 'text' },
    { name: 'sync_failed', kind: 'flag' },
    { name: 'auto_recreate_orders_is_allowed', kind: 'flag', hasLabel: false },
    { name: 'is_archived', kind: 'flag', hasLabel: false },
    { name: 'providers_count', kind: 'number' },
    { name: 'open_orders_count', kind: 'number' },
    { name: 'created_at', kind: 'time' },
    { name: 'updated_at', kind: 'time', hasLabel: false },
    { name: 'type_label', kind: 'text', hasLabel: false, searchable: false },
    { name: 'sync_services', kind: 'flag', searchable: false },
  ],
  filters: [],
});
