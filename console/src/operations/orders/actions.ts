// What can be done to orders, as data. Each has the same place on the server, in panelctl and in panel-tui.
import type { Schemas } from '@/api/client';
import { type Action, typed } from '@/table/action';
import { bulkOf } from '@/table/bulk';
import { CancelForm, type Cancellation, startCancel } from './CancelForm';
import { ProviderForm, type ToProvider } from './ProviderForm';

type Row = Schemas['OrderRow'];
type Verb = 'approve' | 'reject' | 'activate' | 'pause' | 'complete';

/** An action without inputs. */
function plain(name: Verb, icon: string, allows: Action<Row>['allows']): Action<Row> {
  const calls = bulkOf(`/api/v1/admin/orders/${name}`, 'order_ids', { one: `/api/v1/admin/orders/{id}/${name}` });
  return { name, icon, allows, ...calls };
}

/** Empty fields are not sent. */
function filled<Edited extends object>(input: Edited): Edited {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== '')) as Edited;
}

const cancel = typed<Row, Cancellation>({
  name: 'cancel',
  icon: 'times-circle',
  tone: 'danger',
  allows: (row) => row.actions.cancelable,
  initial: { return_money: false, send_email_notification: true },
  start: startCancel,
  Form: CancelForm,
  fields: ['amount', 'cancel_reason', 'cancel_description'],
  triesOne: true,
  ...bulkOf('/api/v1/admin/orders/cancel', 'order_ids', {
    body: ({ amount: _, ...input }: Cancellation) => filled(input),
    one: '/api/v1/admin/orders/{id}/cancel',
    oneBody: ({ amount, ...input }) => filled(input.return_money && amount ? { ...input, amount } : input),
  }),
});

const changeProvider = typed<Row, ToProvider>({
  name: 'changeProvider',
  icon: 'arrow-right-arrow-left',
  allows: (row) => row.actions.provider_changeable,
  // Trying it needs no reason; doing it without one is refused at the field.
  ready: (input) => Boolean(input.provider_id),
  Form: ProviderForm,
  fields: ['provider_id', 'quantity'],
  ...bulkOf('/api/v1/admin/orders/change-provider', 'order_ids', {
    body: ({ provider_id, ...input }: ToProvider) => ({ ...filled(input), provider_id: provider_id ?? 0 }),
  }),
});

export const ORDER_ACTIONS: readonly Action<Row>[] = [
  plain('approve', 'thumbs-up', (row) => row.actions.approvable),
  plain('reject', 'thumbs-down', (row) => row.actions.rejectable),
  plain('activate', 'play', (row) => row.actions.activable),
  plain('pause', 'pause', (row) => row.actions.pausable),
  plain('complete', 'check-circle', (row) => row.actions.completable),
  changeProvider,
  cancel,
];
