// The actions that enable and disable a payment method.
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import { createPerRecordRequests } from '@/table/perRecordRequests';

type PaymentMethod = Schemas['PaymentMethod'];

const createStatusRequests = (operation: 'enable' | 'disable') =>
  createPerRecordRequests('POST', `/api/v1/admin/payment-methods/{id}/${operation}`);

export const METHOD_ACTIONS: readonly Action<PaymentMethod>[] = [
  {
    name: 'enableMethod',
    icon: 'check-circle',
    isAllowedFor: (row) => row.actions.enable,
    ...createStatusRequests('enable'),
  },
  {
    name: 'disableMethod',
    icon: 'minus-circle',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.disable,
    ...createStatusRequests('disable'),
  },
];
