// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { PanelStatus, PanelType, StatisticType } from '../words';

export const externalPanels = declareList<'ExternalPanel'>()({
  name: 'external-panels',
  path: '/api/v1/admin/external-panels',
  labels: 'external-panels',
  wide: ['id', 'name', 'type', 'status', 'balance', 'currency', 'last_ok_at', 'last_error', 'sync_services', 'providers_count', 'open_orders_count', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'word', set: 'PanelType', words: PanelType },
    { name: 'status', kind: 'word', set: 'PanelStatus', words: PanelStatus },
    { name: 'statistic_type', kind: 'word', set: 'StatisticType', words: StatisticType },
    { name: 'endpoint', kind: 'text' },
    { name: 'api_token_hint', kind: 'text', offered: false },
    { name: 'api_token', kind: 'text', inRow: false, offered: false, aliasOf: 'api_token_hint' },
    { name: 'currency', kind: 'exact' },
    { name: 'balance', kind: 'money' },
    { name: 'balance_at', kind: 'time', offered: false },
    { name: 'low_balance', kind: 'money', offered: false },
    { name: 'last_ok_at', kind: 'time' },
    { name: 'last_error', kind: 'text' },
    { name: 'sync_failed', kind: 'flag' },
    { name: 'auto_recreate_orders_is_allowed', kind: 'flag', offered: false },
    { name: 'is_archived', kind: 'flag', offered: false },
    { name: 'providers_count', kind: 'number' },
    { name: 'open_orders_count', kind: 'number' },
    { name: 'created_at', kind: 'time' },
    { name: 'updated_at', kind: 'time', offered: false },
    { name: 'type_label', kind: 'text', offered: false, searchable: false },
    { name: 'sync_services', kind: 'flag', searchable: false },
  ],
  filters: [],
});
