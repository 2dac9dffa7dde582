// What can be done with a payment method beside changing it: on and off.
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import { eachOf } from '@/table/each';

type Row = Schemas['PaymentMethod'];

const call = (verb: 'enable' | 'disable') => eachOf('POST', `/api/v1/admin/payment-methods/{id}/${verb}`);

export const METHOD_ACTIONS: readonly Action<Row>[] = [
  {
    name: 'enableMethod',
    icon: 'check-circle',
    allows: (row) => row.actions.enable,
    ...call('enable'),
  },
  {
    name: 'disableMethod',
    icon: 'minus-circle',
    tone: 'danger',
    allows: (row) => row.actions.disable,
    ...call('disable'),
  },
];
