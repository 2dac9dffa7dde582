// What staff can do to cancel requests: confirm, which cancels the orders, or refuse.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { moneyByHand } from '@/form/codecs';
import { type Action, type FormProps, typed } from '@/table/action';
import { bulkOf } from '@/table/bulk';
import { Field, Tick } from '@/ui/Field';

type Row = Schemas['OrderCancelRequest'];

type Confirmation = Schemas['ConfirmCancelRequestInput'];

/** The amount is offered for one request; many refund their own defaults. */
function ConfirmForm({ value, onChange, errors, row, count }: FormProps<Row, Confirmation>) {
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
              value={value.amount ?? ''}
              onChange={(event) => onChange({ ...value, amount: moneyByHand.parse(event.target.value) })}
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

const asked = ({ send_email_notification }: Confirmation) => ({
  send_email_notification: send_email_notification === true,
});

export const CANCEL_REQUEST_ACTIONS: readonly Action<Row>[] = [
  typed<Row, Confirmation>({
    name: 'confirmCancel',
    icon: 'thumbs-up',
    tone: 'danger',
    allows: (row) => row.actions.confirmable,
    initial: { send_email_notification: true },
    Form: ConfirmForm,
    fields: ['amount'],
    triesOne: true,
    ...bulkOf('/api/v1/admin/order-cancel-requests/confirm', 'ids', {
      body: asked,
      one: '/api/v1/admin/order-cancel-requests/{id}/confirm',
      oneBody: (input) => ({ ...asked(input), ...(input.amount ? { amount: input.amount } : {}) }),
    }),
  }),
  {
    name: 'refuseCancel',
    icon: 'thumbs-down',
    allows: (row) => row.actions.refusable,
    ...bulkOf('/api/v1/admin/order-cancel-requests/refuse', 'ids', {
      one: '/api/v1/admin/order-cancel-requests/{id}/refuse',
    }),
  },
];
