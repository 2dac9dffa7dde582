// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { BonusCalculation, CouponBonusType, CouponPaymentType, PromotionStatus } from '../enums';

export const coupons = declareList<'CouponRow'>()({
  name: 'coupons',
  path: '/api/v1/admin/coupons',
  labels: 'coupons',
  defaultColumns: ['id', 'name', 'code', 'status', 'payment_type', 'bonus_fraction', 'min_amount', 'usages', 'received', 'spent', 'valid_to', 'affiliate.email', 'displayable'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text', filteredBy: 'translated_name' },
    { name: 'translated_name', kind: 'text', inRow: false, hasLabel: false },
    { name: 'code', kind: 'text' },
    { name: 'displayable', kind: 'flag' },
    { name: 'payment_type', kind: 'enum', enumName: 'CouponPaymentType', values: CouponPaymentType },
    { name: 'affiliate', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'affiliate.id', kind: 'id', hasLabel: false },
    { name: 'affiliate.email', kind: 'text', filteredBy: 'affiliate' },
    { name: 'min_amount', kind: 'money' },
    { name: 'valid_from', kind: 'time' },
    { name: 'valid_to', kind: 'time' },
    { name: 'bonus_type', kind: 'enum', enumName: 'CouponBonusType', values: CouponBonusType },
    { name: 'bonus_amount_calculation_type', kind: 'enum', enumName: 'BonusCalculation', values: BonusCalculation },
    { name: 'bonus_fraction', kind: 'fraction' },
    { name: 'bonus_amount', kind: 'money' },
    { name: 'usage_limit', kind: 'number' },
    { name: 'received', kind: 'money' },
    { name: 'spent', kind: 'money' },
    { name: 'usages', kind: 'number' },
    { name: 'status', kind: 'enum', enumName: 'PromotionStatus', values: PromotionStatus },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [
    { name: 'is_all', kind: 'flag' },
  ],
});
