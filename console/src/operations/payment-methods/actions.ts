// The actions that enable and disable a payment method.
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import { perRecordCalls } from '@/table/perRecordCalls';

type PaymentMethod = Schemas['PaymentMethod'];

const createCalls = (operation: 'enable' | 'disable') =>
  perRecordCalls('POST', `/api/v1/admin/payment-methods/{id}/${operation}`);

export const METHOD_ACTIONS: readonly Action<PaymentMethod>[] = [
  {
    name: 'enableMethod',
    icon: 'check-circle',
    allows: (row) => row.actions.enable,
    ...createCalls('enable'),
  },
  {
    name: 'disableMethod',
    icon: 'minus-circle',
    tone: 'danger',
    allows: (row) => row.actions.disable,
    ...createCalls('disable'),
  },
];
