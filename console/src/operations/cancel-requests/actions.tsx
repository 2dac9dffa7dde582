// The actions on cancel requests: confirm, which cancels the orders, and refuse.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { manualMoney } from '@/form/codecs';
import { type Action, type FormProps, withInputErased } from '@/table/action';
import { bulkCalls } from '@/table/bulkCalls';
import { Checkbox, Field } from '@/ui/Field';

type CancelRequestRow = Schemas['OrderCancelRequest'];

type Confirmation = Schemas['ConfirmCancelRequestInput'];

/** The form has an amount only for a single request. In a bulk action, each request refunds its default amount. */
function ConfirmForm({ value, onChange, errors, row, count }: FormProps<CancelRequestRow, Confirmation>) {
  const { t } = useTranslation();
  return (
    <>
      {row && (
        <Field label={t('orders.cancel.amount')} errors={errors.amount} hint={t('orders.cancel.amountHint')}>
          {(control) => (
            <input
              {...control}
              className="input"
              inputMode="decimal"
              data-autofocus
              placeholder={row.returned}
              value={value.amount ?? ''}
              onChange={(event) => onChange({ ...value, amount: manualMoney.parse(event.target.value) })}
            />
          )}
        </Field>
      )}
      <Checkbox
        label={t('orders.cancel.tell', { count })}
        checked={value.send_email_notification === true}
        onChange={(send_email_notification) => onChange({ ...value, send_email_notification })}
      />
    </>
  );
}

const notificationOf = ({ send_email_notification }: Confirmation) => ({
  send_email_notification: send_email_notification === true,
});

export const CANCEL_REQUEST_ACTIONS: readonly Action<CancelRequestRow>[] = [
  withInputErased<CancelRequestRow, Confirmation>({
    name: 'confirmCancel',
    icon: 'thumbs-up',
    tone: 'danger',
    allows: (row) => row.actions.confirmable,
    initial: { send_email_notification: true },
    Form: ConfirmForm,
    fields: ['amount'],
    previewsOne: true,
    ...bulkCalls('/api/v1/admin/order-cancel-requests/confirm', 'ids', {
      body: notificationOf,
      one: '/api/v1/admin/order-cancel-requests/{id}/confirm',
      oneBody: (input) => ({ ...notificationOf(input), ...(input.amount ? { amount: input.amount } : {}) }),
    }),
  }),
  {
    name: 'refuseCancel',
    icon: 'thumbs-down',
    allows: (row) => row.actions.refusable,
    ...bulkCalls('/api/v1/admin/order-cancel-requests/refuse', 'ids', {
      one: '/api/v1/admin/order-cancel-requests/{id}/refuse',
    }),
  },
];
