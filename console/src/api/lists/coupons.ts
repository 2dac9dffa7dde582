// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { BonusCalculation, CouponBonusType, CouponPaymentType, PromotionStatus } from '../words';

export const coupons = declareList<'CouponRow'>()({
  name: 'coupons',
  path: '/api/v1/admin/coupons',
  labels: 'coupons',
  wide: ['id', 'name', 'code', 'status', 'payment_type', 'bonus_percentage', 'min_amount', 'usages', 'received', 'spent', 'valid_to', 'affiliate.email', 'displayable'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text', filteredBy: 'translated_name' },
    { name: 'translated_name', kind: 'text', inRow: false, offered: false },
    { name: 'code', kind: 'text' },
    { name: 'displayable', kind: 'flag' },
    { name: 'payment_type', kind: 'word', set: 'CouponPaymentType', words: CouponPaymentType },
    { name: 'affiliate', kind: 'record', of: 'user', inRow: false, offered: false },
    { name: 'affiliate.id', kind: 'id', offered: false },
    { name: 'affiliate.email', kind: 'text', filteredBy: 'affiliate' },
    { name: 'min_amount', kind: 'money' },
    { name: 'valid_from', kind: 'time' },
    { name: 'valid_to', kind: 'time' },
    { name: 'bonus_type', kind: 'word', set: 'CouponBonusType', words: CouponBonusType },
    { name: 'bonus_amount_calculation_type', kind: 'word', set: 'BonusCalculation', words: BonusCalculation },
    { name: 'bonus_percentage', kind: 'fraction' },
    { name: 'bonus_amount', kind: 'money' },
    { name: 'usage_limit', kind: 'number' },
    { name: 'received', kind: 'money' },
    { name: 'spent', kind: 'money' },
    { name: 'usages', kind: 'number' },
    { name: 'status', kind: 'word', set: 'PromotionStatus', words: PromotionStatus },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [
    { name: 'is_all', kind: 'flag' },
  ],
});
