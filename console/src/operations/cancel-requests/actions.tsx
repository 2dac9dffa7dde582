// The actions on cancel requests: a confirmation cancels the order, a refusal leaves it unchanged.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { manualMoney } from '@/form/codecs';
import { type Action, eraseInputType, type FormProps } from '@/table/action';
import { bulkCalls } from '@/table/bulkCalls';
import { Checkbox, Field } from '@/ui/Field';

type CancelRequestRow = Schemas['OrderCancelRequest'];

type ConfirmInput = Schemas['ConfirmCancelRequestInput'];

/** The form has an amount only for a single request. In a bulk action, each request refunds its default amount. */
function ConfirmForm({ value, onChange, errors, row, count }: FormProps<CancelRequestRow, ConfirmInput>) {
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
        label={t('orders.cancel.notify', { count })}
        checked={value.send_email_notification === true}
        onChange={(send_email_notification) => onChange({ ...value, send_email_notification })}
      />
    </>
  );
}

const pickNotification = ({ send_email_notification }: ConfirmInput) => ({
  send_email_notification: send_email_notification === true,
});

export const CANCEL_REQUEST_ACTIONS: readonly Action<CancelRequestRow>[] = [
  eraseInputType<CancelRequestRow, ConfirmInput>({
    name: 'confirmCancel',
    icon: 'thumbs-up',
    tone: 'danger',
    allows: (row) => row.actions.confirmable,
    initial: { send_email_notification: true },
    Form: ConfirmForm,
    fields: ['amount'],
    hasSinglePreview: true,
    ...bulkCalls('/api/v1/admin/order-cancel-requests/confirm', 'ids', {
      body: pickNotification,
      singlePath: '/api/v1/admin/order-cancel-requests/{id}/confirm',
      singleBody: (input) => ({ ...pickNotification(input), ...(input.amount ? { amount: input.amount } : {}) }),
    }),
  }),
  {
    name: 'refuseCancel',
    icon: 'thumbs-down',
    allows: (row) => row.actions.refusable,
    ...bulkCalls('/api/v1/admin/order-cancel-requests/refuse', 'ids', {
      singlePath: '/api/v1/admin/order-cancel-requests/{id}/refuse',
    }),
  },
];
