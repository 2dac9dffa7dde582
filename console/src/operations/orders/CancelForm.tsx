// The form of the action that cancels orders: the refund, the reason, and whether the customer gets an email.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { CancelReason } from '@/api/enums';
import { choiceOrNull, manualMoney } from '@/form/codecs';
import type { FormProps } from '@/table/action';
import { Checkbox, Field } from '@/ui/Field';
import { Select } from '@/ui/Select';

type OrderRow = Schemas['OrderRow'];
export type CancelInput = Schemas['CancelInput'];

const cancelReasonCodec = choiceOrNull(CancelReason);

/** Fetches the default refund of an order. The form gets no amount if it is zero, because a refund cannot be zero. */
export async function fetchDefaultRefund(row: OrderRow): Promise<CancelInput> {
  const { data } = await unwrap(
    api.GET('/api/v1/admin/orders/{id}/refund-amount', { params: { path: { id: row.id } } }),
  );
  return Number(data.amount) > 0 ? { amount: data.amount } : {};
}

export function CancelForm({ value, onChange, errors, row }: FormProps<OrderRow, CancelInput>) {
  const { t } = useTranslation();
  const { data: reasons = [] } = useQuery({
    queryKey: ['cancel-reasons'],
    queryFn: () => unwrap(api.GET('/api/v1/admin/orders/cancel-reasons')),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const setFields = (changes: CancelInput) => onChange({ ...value, ...changes });
  const isRefunded = value.return_money === true;
  return (
    <>
      <Checkbox
        label={t('orders.cancel.returnMoney')}
        checked={isRefunded}
        onChange={(return_money) => setFields({ return_money })}
      />
      {row && isRefunded && (
        <Field label={t('orders.cancel.amount')} errors={errors.amount} hint={t('orders.cancel.amountHint')}>
          {(control) => (
            <input
              {...control}
              className="input"
              inputMode="decimal"
              value={value.amount ?? ''}
              onChange={(event) => setFields({ amount: manualMoney.parse(event.target.value) })}
            />
          )}
        </Field>
      )}
      <Field label={t('orders.cancel.reason')} errors={errors.cancel_reason}>
        {(control) => (
          <Select
            id={control.id}
            label={t('orders.cancel.reason')}
            value={value.cancel_reason ?? null}
            options={reasons.map(({ type, label }) => ({
              value: type,
              label: t(`cancelReason.${type as 'other'}`, { defaultValue: label }),
            }))}
            placeholder={t('orders.cancel.noReason')}
            clearable
            invalid={(errors.cancel_reason?.length ?? 0) > 0}
            onChange={(selected) => setFields({ cancel_reason: cancelReasonCodec.parse(selected ?? '') })}
          />
        )}
      </Field>
      <Field label={t('orders.cancel.description')} errors={errors.cancel_description}>
        {(control) => (
          <textarea
            {...control}
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
