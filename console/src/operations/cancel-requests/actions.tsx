// What staff can do to cancel requests: confirm, which cancels the orders, or refuse.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import type { Action, FormProps, How } from '@/table/action';
import { Field, Tick } from '@/ui/Field';

type Row = Schemas['OrderCancelRequest'];

const call = ({ dryRun, key, signal }: How) => ({
  query: dryRun ? { dry_run: '1' } : {},
  init: { headers: { 'Idempotency-Key': key }, ...(signal ? { signal } : {}) },
});

/** The amount is offered for one request; many refund their own defaults. */
function ConfirmForm({ value, onChange, errors, row, count }: FormProps<Row>) {
  const { t } = useTranslation();
  return (
    <>
      {row && (
        <Field label={t('orders.cancel.amount')} errors={errors.amount} hint={t('orders.cancel.amountHint')}>
          {(given) => (
            <input
              {...given}
              className="input"
              inputMode="decimal"
              data-autofocus
              placeholder={row.returned}
              value={String(value.amount ?? '')}
              onChange={(event) => onChange({ ...value, amount: event.target.value.replace(/\s/g, '') })}
            />
          )}
        </Field>
      )}
      <Tick
        label={t('orders.cancel.tell', { count })}
        checked={value.send_email_notification === true}
        onChange={(send_email_notification) => onChange({ ...value, send_email_notification })}
      />
    </>
  );
}

export const CANCEL_REQUEST_ACTIONS: readonly Action<Row>[] = [
  {
    name: 'confirmCancel',
    icon: 'thumbs-up',
    tone: 'danger',
    allows: (row) => row.actions.confirmable,
    initial: { send_email_notification: true },
    Form: ConfirmForm,
    triesOne: true,
    one: (id, input, how) =>
      told(
        api.POST('/api/v1/admin/order-cancel-requests/{id}/confirm', {
          params: { path: { id }, query: call(how).query },
          body: {
            send_email_notification: input.send_email_notification === true,
            ...(input.amount ? { amount: String(input.amount) } : {}),
          },
          ...call(how).init,
        }),
      ),
    many: (ids, input, how) =>
      told(
        api.POST('/api/v1/admin/order-cancel-requests/confirm', {
          params: { query: call(how).query },
          body: { ids: [...ids], send_email_notification: input.send_email_notification === true },
          ...call(how).init,
        }),
      ),
  },
  {
    name: 'refuseCancel',
    icon: 'thumbs-down',
    allows: (row) => row.actions.refusable,
    one: (id, _, how) =>
      told(
        api.POST('/api/v1/admin/order-cancel-requests/{id}/refuse', {
          params: { path: { id }, query: call(how).query },
          ...call(how).init,
        }),
      ),
    many: (ids, _, how) =>
      told(
        api.POST('/api/v1/admin/order-cancel-requests/refuse', {
          params: { query: call(how).query },
          body: { ids: [...ids] },
          ...call(how).init,
        }),
      ),
  },
];
