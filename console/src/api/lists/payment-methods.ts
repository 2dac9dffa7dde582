// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { ChargeType, PaymentMethodStatus, PaymentMethodType, PaymentStrategy } from '../enums';

export const paymentMethods = declareList<'PaymentMethod'>()({
  name: 'payment-methods',
  path: '/api/v1/admin/payment-methods',
  labels: 'payment-methods',
  defaultColumns: ['sorting', 'id', 'name', 'type', 'status', 'fee_fraction', 'min_amount', 'max_amount', 'charge_currency', 'is_allowed_for_new_user'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'enum', enumName: 'PaymentMethodType', values: PaymentMethodType },
    { name: 'status', kind: 'enum', enumName: 'PaymentMethodStatus', values: PaymentMethodStatus },
    { name: 'is_enabled', kind: 'flag', hasLabel: false },
    { name: 'is_allowed_for_new_user', kind: 'flag' },
    { name: 'fee_fraction', kind: 'fraction' },
    { name: 'min_amount', kind: 'money' },
    { name: 'max_amount', kind: 'money' },
    { name: 'charge_currency', kind: 'exact_text' },
    { name: 'charge_type', kind: 'enum', enumName: 'ChargeType', values: ChargeType },
    { name: 'strategy', kind: 'enum', enumName: 'PaymentStrategy', values: PaymentStrategy },
    { name: 'sorting', kind: 'number' },
    { name: 'position', kind: 'number', hasLabel: false },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [],
  defaultSort: [['sorting', false]],
});
