// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { ChargeType, PaymentMethodStatus, PaymentMethodType, PaymentStrategy } from '../words';

export const paymentMethods = declareList<'PaymentMethod'>()({
  name: 'payment-methods',
  path: '/api/v1/admin/payment-methods',
  labels: 'payment-methods',
  wide: ['sorting', 'id', 'name', 'type', 'status', 'fee_percent', 'min_amount', 'max_amount', 'charge_currency', 'is_allowed_for_new_user'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'type', kind: 'word', set: 'PaymentMethodType', words: PaymentMethodType },
    { name: 'status', kind: 'word', set: 'PaymentMethodStatus', words: PaymentMethodStatus },
    { name: 'is_enabled', kind: 'flag', offered: false },
    { name: 'is_allowed_for_new_user', kind: 'flag' },
    { name: 'fee_percent', kind: 'fraction' },
    { name: 'min_amount', kind: 'money' },
    { name: 'max_amount', kind: 'money' },
    { name: 'charge_currency', kind: 'exact' },
    { name: 'charge_type', kind: 'word', set: 'ChargeType', words: ChargeType },
    { name: 'strategy', kind: 'word', set: 'PaymentStrategy', words: PaymentStrategy },
    { name: 'sorting', kind: 'number' },
    { name: 'position', kind: 'number', offered: false },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [],
  order: [['sorting', false]],
});
