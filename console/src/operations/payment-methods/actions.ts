// What can be done with a payment method beside changing it: on and off.
import { api, type Schemas, told } from '@/api/client';
import type { Action } from '@/table/action';
import { eachOf } from '@/table/each';

type Row = Schemas['PaymentMethod'];

const call = (verb: 'enable' | 'disable') =>
  eachOf<Row>((id, init) =>
    told(api.POST(`/api/v1/admin/payment-methods/{id}/${verb}`, { params: { path: { id } }, ...init })),
  );

export const METHOD_ACTIONS: readonly Action<Row>[] = [
  {
    name: 'enableMethod',
    icon: 'check-circle',
    allows: (row) => row.actions.enable,
    undoable: true,
    ...call('enable'),
  },
  {
    name: 'disableMethod',
    icon: 'minus-circle',
    tone: 'danger',
    allows: (row) => row.actions.disable,
    undoable: true,
    ...call('disable'),
  },
];
