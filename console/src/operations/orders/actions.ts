// The actions on orders, declared as data. The server, panelctl and panel-tui use the same names for these actions.
import type { Schemas } from '@/api/client';
import { type Action, asUntypedAction } from '@/table/action';
import { createBulkRequests } from '@/table/bulkRequests';
import { CancelForm, type CancelInput, fetchDefaultRefund } from './CancelForm';
import { ChangeProviderForm, type ChangeProviderValues } from './ChangeProviderForm';

type OrderRow = Schemas['OrderRow'];
type SimpleActionName = 'approve' | 'reject' | 'activate' | 'pause' | 'complete';

function createSimpleAction(
  name: SimpleActionName,
  icon: string,
  isAllowedFor: Action<OrderRow>['isAllowedFor'],
): Action<OrderRow> {
  const requests = createBulkRequests(`/api/v1/admin/orders/${name}`, 'order_ids', {
    singlePath: `/api/v1/admin/orders/{id}/${name}`,
  });
  return { name, icon, isAllowedFor, ...requests };
}

function omitEmptyFields<Input extends object>(input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== '')) as Input;
}

const cancelAction = asUntypedAction<OrderRow, CancelInput>({
  name: 'cancel',
  icon: 'times-circle',
  tone: 'danger',
  isAllowedFor: (row) => row.actions.cancelable,
  initial: { return_money: false, send_email_notification: true },
  loadInitial: fetchDefaultRefund,
  Form: CancelForm,
  fields: ['amount', 'cancel_reason', 'cancel_description'],
  hasSinglePreview: true,
  ...createBulkRequests('/api/v1/admin/orders/cancel', 'order_ids', {
    body: ({ amount: _, ...input }: CancelInput) => omitEmptyFields(input),
    singlePath: '/api/v1/admin/orders/{id}/cancel',
    singleBody: ({ amount, ...input }) => omitEmptyFields(input.return_money && amount ? { ...input, amount } : input),
  }),
});

const changeProviderAction = asUntypedAction<OrderRow, ChangeProviderValues>({
  name: 'changeProvider',
  icon: 'arrow-right-arrow-left',
  isAllowedFor: (row) => row.actions.provider_changeable,
  // The form is ready without a reason. If the quantity needs a reason, the server rejects the request with an error for
  // `reason`.
  isReady: (input) => Boolean(input.provider_id),
  Form: ChangeProviderForm,
  fields: ['provider_id', 'quantity'],
  ...createBulkRequests('/api/v1/admin/orders/change-provider', 'order_ids', {
    body: ({ provider_id, ...input }: ChangeProviderValues) => ({
      ...omitEmptyFields(input),
      provider_id: provider_id ?? 0,
    }),
  }),
});

export const ORDER_ACTIONS: readonly Action<OrderRow>[] = [
  createSimpleAction('approve', 'thumbs-up', (row) => row.actions.approvable),
  createSimpleAction('reject', 'thumbs-down', (row) => row.actions.rejectable),
  createSimpleAction('activate', 'play', (row) => row.actions.activable),
  createSimpleAction('pause', 'pause', (row) => row.actions.pausable),
  createSimpleAction('complete', 'check-circle', (row) => row.actions.completable),
  changeProviderAction,
  cancelAction,
];
