// The actions on orders, declared as data. The server, panelctl and panel-tui have an action of the same name for each.
import type { Schemas } from '@/api/client';
import { type Action, withInputErased } from '@/table/action';
import { bulkCalls } from '@/table/bulkCalls';
import { CancelForm, type Cancellation, loadCancellation } from './CancelForm';
import { type ProviderChange, ProviderForm } from './ProviderForm';

type OrderRow = Schemas['OrderRow'];
type Verb = 'approve' | 'reject' | 'activate' | 'pause' | 'complete';

/** An action without a form. */
function simpleAction(name: Verb, icon: string, allows: Action<OrderRow>['allows']): Action<OrderRow> {
  const calls = bulkCalls(`/api/v1/admin/orders/${name}`, 'order_ids', { one: `/api/v1/admin/orders/{id}/${name}` });
  return { name, icon, allows, ...calls };
}

/** Drops empty fields. */
function withoutEmpty<Edited extends object>(input: Edited): Edited {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== '')) as Edited;
}

const cancel = withInputErased<OrderRow, Cancellation>({
  name: 'cancel',
  icon: 'times-circle',
  tone: 'danger',
  allows: (row) => row.actions.cancelable,
  initial: { return_money: false, send_email_notification: true },
  loadInitial: loadCancellation,
  Form: CancelForm,
  fields: ['amount', 'cancel_reason', 'cancel_description'],
  previewsOne: true,
  ...bulkCalls('/api/v1/admin/orders/cancel', 'order_ids', {
    body: ({ amount: _, ...input }: Cancellation) => withoutEmpty(input),
    one: '/api/v1/admin/orders/{id}/cancel',
    oneBody: ({ amount, ...input }) => withoutEmpty(input.return_money && amount ? { ...input, amount } : input),
  }),
});

const changeProvider = withInputErased<OrderRow, ProviderChange>({
  name: 'changeProvider',
  icon: 'arrow-right-arrow-left',
  allows: (row) => row.actions.provider_changeable,
  // The dry run needs no reason. Without one the server refuses the action and names the field.
  isReady: (input) => Boolean(input.provider_id),
  Form: ProviderForm,
  fields: ['provider_id', 'quantity'],
  ...bulkCalls('/api/v1/admin/orders/change-provider', 'order_ids', {
    body: ({ provider_id, ...input }: ProviderChange) => ({ ...withoutEmpty(input), provider_id: provider_id ?? 0 }),
  }),
});

export const ORDER_ACTIONS: readonly Action<OrderRow>[] = [
  simpleAction('approve', 'thumbs-up', (row) => row.actions.approvable),
  simpleAction('reject', 'thumbs-down', (row) => row.actions.rejectable),
  simpleAction('activate', 'play', (row) => row.actions.activable),
  simpleAction('pause', 'pause', (row) => row.actions.pausable),
  simpleAction('complete', 'check-circle', (row) => row.actions.completable),
  changeProvider,
  cancel,
];
