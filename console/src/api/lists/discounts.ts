// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { PromotionStatus } from '../enums';

export const discounts = declareList<'DiscountRow'>()({
  name: 'discounts',
  path: '/api/v1/admin/discounts',
  labels: 'discounts',
  defaultColumns: ['id', 'name', 'status', 'discount_fraction', 'services_count', 'valid_from', 'valid_to', 'countries', 'is_countdown_enabled'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'created_at', kind: 'time' },
    { name: 'valid_from', kind: 'time' },
    { name: 'valid_to', kind: 'time' },
    { name: 'is_countdown_enabled', kind: 'flag' },
    { name: 'countries', kind: 'countries' },
    { name: 'services_count', kind: 'number' },
    { name: 'services', kind: 'record', recordKind: 'service', inRow: false },
    { name: 'discount_fraction', kind: 'fraction' },
    { name: 'status', kind: 'enum', enumName: 'PromotionStatus', values: PromotionStatus },
  ],
  filters: [],
});
