// The form of the action that cancels orders: the refund, the reason, and whether the customer gets an email.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { CancelReason } from '@/api/enums';
import { enumOrNullCodec, manualMoneyCodec } from '@/form/codecs';
import type { FormProps } from '@/table/action';
import { Checkbox, Field } from '@/ui/Field';
import { Select } from '@/ui/Select';

type OrderRow = Schemas['OrderRow'];
export type CancelInput = Schemas['CancelInput'];

const cancelReasonCodec = enumOrNullCodec(CancelReason);

/**
 * Fetches the default refund of an order as the initial value of the form. An amount of zero is omitted: a refund cannot be zero.
 */
export async function fetchDefaultRefund(row: OrderRow): Promise<CancelInput> {
  const { data } = await unwrap(
    api.GET('/api/v1/admin/orders/{id}/refund-amount', { params: { path: { id: row.id } } }),
  );
  return Number(data.amount) > 0 ? { amount: data.amount } : {};
}

export function CancelForm({ value, onChange, errors, row }: FormProps<OrderRow, CancelInput>) {
  const { t } = useTranslation();
  const { data: cancelReasons = [] } = useQuery({
    queryKey: ['cancel-reasons'],
    queryFn: () => unwrap(api.GET('/api/v1/admin/orders/cancel-reasons')),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const setFields = (changes: CancelInput) => onChange({ ...value, ...changes });
  const hasRefund = value.return_money === true;
  return (
    <>
      <Checkbox
        label={t('orders.cancel.refundCustomer')}
        checked={hasRefund}
        onChange={(return_money) => setFields({ return_money })}
      />
      {row && hasRefund && (
        <Field label={t('orders.cancel.amount')} errors={errors.amount} hint={t('orders.cancel.amountHint')}>
          {(controlProps) => (
            <input
              {...controlProps}
              className="input"
              inputMode="decimal"
              value={value.amount ?? ''}
              onChange={(event) => setFields({ amount: manualMoneyCodec.parse(event.target.value) })}
            />
          )}
        </Field>
      )}
      <Field label={t('orders.cancel.reason')} errors={errors.cancel_reason}>
        {(controlProps) => (
          <Select
            id={controlProps.id}
            label={t('orders.cancel.reason')}
            value={value.cancel_reason ?? null}
            options={cancelReasons.map(({ type, label }) => ({
              value: type,
              label: t(`cancelReason.${type as 'other'}`, { defaultValue: label }),
            }))}
            placeholder={t('orders.cancel.noReason')}
            isClearable
            invalid={(errors.cancel_reason?.length ?? 0) > 0}
            onChange={(selectedReason) => setFields({ cancel_reason: cancelReasonCodec.parse(selectedReason ?? '') })}
          />
        )}
      </Field>
      <Field label={t('orders.cancel.description')} errors={errors.cancel_description}>
        {(controlProps) => (
          <textarea
            {...controlProps}
            className="input"
            rows={2}
            maxLength={2000}
            value={value.cancel_description ?? ''}
            onChange={(event) => setFields({ cancel_description: event.target.value })}
          />
        )}
      </Field>
      <Checkbox
        label={t('orders.cancel.notify', { count: row ? 1 : 2 })}
        checked={value.send_email_notification === true}
        onChange={(send_email_notification) => setFields({ send_email_notification })}
      />
    </>
  );
}
