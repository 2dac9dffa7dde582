// The actions that enable and disable a payment method.
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import { perRecordCalls } from '@/table/perRecordCalls';

type PaymentMethod = Schemas['PaymentMethod'];

const callsOf = (verb: 'enable' | 'disable') => perRecordCalls('POST', `/api/v1/admin/payment-methods/{id}/${verb}`);

export const METHOD_ACTIONS: readonly Action<PaymentMethod>[] = [
  {
    name: 'enableMethod',
    icon: 'check-circle',
    allows: (row) => row.actions.enable,
    ...callsOf('enable'),
  },
  {
    name: 'disableMethod',
    icon: 'minus-circle',
    tone: 'danger',
    allows: (row) => row.actions.disable,
    ...callsOf('disable'),
  },
];
