// The actions on cancel requests: confirming a request cancels the order, rejecting it leaves the order unchanged.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { manualMoneyCodec } from '@/form/codecs';
import { type Action, asUntypedAction, type FormProps } from '@/table/action';
import { createBulkRequests } from '@/table/bulkRequests';
import { Checkbox, Field } from '@/ui/Field';

type CancelRequestRow = Schemas['OrderCancelRequest'];

type ConfirmCancelInput = Schemas['ConfirmCancelRequestInput'];

/** For a single request, staff can enter the refund amount. In a bulk action, each order gets its default refund. */
function ConfirmCancelForm({ value, onChange, errors, row, count }: FormProps<CancelRequestRow, ConfirmCancelInput>) {
  const { t } = useTranslation();
  return (
    <>
      {row && (
        <Field label={t('orders.cancel.amount')} errors={errors.amount} hint={t('orders.cancel.amountHint')}>
          {(controlProps) => (
            <input
              {...controlProps}
              className="input"
              inputMode="decimal"
              data-autofocus
              placeholder={row.refunded}
              value={value.amount ?? ''}
              onChange={(event) => onChange({ ...value, amount: manualMoneyCodec.parse(event.target.value) })}
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

const pickEmailNotification = ({ send_email_notification }: ConfirmCancelInput) => ({
  send_email_notification: send_email_notification === true,
});

export const CANCEL_REQUEST_ACTIONS: readonly Action<CancelRequestRow>[] = [
  asUntypedAction<CancelRequestRow, ConfirmCancelInput>({
    name: 'confirmCancel',
    icon: 'thumbs-up',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.confirmable,
    initial: { send_email_notification: true },
    Form: ConfirmCancelForm,
    fields: ['amount'],
    hasSinglePreview: true,
    ...createBulkRequests('/api/v1/admin/order-cancel-requests/confirm', 'ids', {
      body: pickEmailNotification,
      singlePath: '/api/v1/admin/order-cancel-requests/{id}/confirm',
      singleBody: (input) => ({ ...pickEmailNotification(input), ...(input.amount ? { amount: input.amount } : {}) }),
    }),
  }),
  {
    name: 'rejectCancel',
    icon: 'thumbs-down',
    isAllowedFor: (row) => row.actions.rejectable,
    ...createBulkRequests('/api/v1/admin/order-cancel-requests/reject', 'ids', {
      singlePath: '/api/v1/admin/order-cancel-requests/{id}/reject',
    }),
  },
];
