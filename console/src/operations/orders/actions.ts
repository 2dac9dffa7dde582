// What can be done to orders, as data. Each has the same place on the server, in panelctl and in panel-tui.
import { api, type Schemas, told } from '@/api/client';
import type { Action, How, Input } from '@/table/action';
import { CancelForm, startCancel } from './CancelForm';
import { ProviderForm } from './ProviderForm';

type Row = Schemas['OrderRow'];
type Verb = 'approve' | 'reject' | 'activate' | 'pause' | 'complete';

const call = ({ dryRun, key, signal }: How) => ({
  query: dryRun ? { dry_run: '1' } : {},
  init: { headers: { 'Idempotency-Key': key }, ...(signal ? { signal } : {}) },
});

/** An action without inputs. */
function plain(name: Verb, icon: string, allows: Action<Row>['allows']): Action<Row> {
  return {
    name,
    icon,
    allows,
    one: (id, _, how) =>
      told(api.POST(`/api/v1/admin/orders/{id}/${name}`, { params: { path: { id } }, ...call(how).init })),
    many: (ids, _, how) =>
      told(
        api.POST(`/api/v1/admin/orders/${name}`, {
          params: { query: call(how).query },
          body: { order_ids: [...ids] },
          ...call(how).init,
        }),
      ),
  };
}

/** Empty fields are not sent. */
function filled<Body>(input: Input): Body {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== '')) as Body;
}

const cancel: Action<Row> = {
  name: 'cancel',
  icon: 'times-circle',
  tone: 'danger',
  allows: (row) => row.actions.cancelable,
  initial: { return_money: false, send_email_notification: true },
  ready: (input) => input.cancel_reason !== 'other' || Boolean(input.cancel_description),
  start: startCancel,
  Form: CancelForm,
  triesOne: true,
  one: (id, input, how) => {
    const body = filled<Schemas['CancelInput']>(input.return_money ? input : { ...input, amount: null });
    return told(
      api.POST('/api/v1/admin/orders/{id}/cancel', {
        params: { path: { id }, query: call(how).query },
        body,
        ...call(how).init,
      }),
    );
  },
  many: (ids, input, how) => {
    const body = { ...filled<Schemas['BulkCancelInput']>({ ...input, amount: null }), order_ids: [...ids] };
    return told(
      api.POST('/api/v1/admin/orders/cancel', { params: { query: call(how).query }, body, ...call(how).init }),
    );
  },
};

const changeProvider: Action<Row> = {
  name: 'changeProvider',
  icon: 'arrow-right-arrow-left',
  allows: (row) => row.actions.provider_changeable,
  // Trying it needs no reason; doing it without one is refused at the field.
  ready: (input) => Boolean(input.provider_id),
  Form: ProviderForm,
  one: (id, input, how) => changeProvider.many([id], input, how),
  many: (ids, input, how) => {
    const body = { ...filled<Schemas['ChangeProviderInput']>(input), order_ids: [...ids] };
    return told(
      api.POST('/api/v1/admin/orders/change-provider', { params: { query: call(how).query }, body, ...call(how).init }),
    );
  },
};

export const ORDER_ACTIONS: readonly Action<Row>[] = [
  plain('approve', 'thumbs-up', (row) => row.actions.approvable),
  plain('reject', 'thumbs-down', (row) => row.actions.rejectable),
  plain('activate', 'play', (row) => row.actions.activable),
  plain('pause', 'pause', (row) => row.actions.pausable),
  plain('complete', 'check-circle', (row) => row.actions.completable),
  changeProvider,
  cancel,
];
