// How to cancel: with or without money, how much of it, why, and whether the customer is told.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { CancelReason } from '@/api/words';
import { choiceOrNull, moneyByHand } from '@/form/codecs';
import type { FormProps } from '@/table/action';
import { Field, Tick } from '@/ui/Field';
import { Select } from '@/ui/Select';

type Row = Schemas['OrderRow'];
export type Cancellation = Schemas['CancelInput'];

const reason = choiceOrNull(CancelReason);

/** The amount that the server would return by itself; left out where that is nothing, as no amount of zero is returned. */
export async function startCancel(row: Row): Promise<Cancellation> {
  const answer = await unwrap(api.GET('/api/v1/admin/orders/{id}/refund-amount', { params: { path: { id: row.id } } }));
  return Number(answer.data.amount) > 0 ? { amount: answer.data.amount } : {};
}

export function CancelForm({ value, onChange, errors, row }: FormProps<Row, Cancellation>) {
  const { t } = useTranslation();
  const { data: reasons = [] } = useQuery({
    queryKey: ['cancel-reasons'],
    queryFn: () => unwrap(api.GET('/api/v1/admin/orders/cancel-reasons')),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const set = (part: Cancellation) => onChange({ ...value, ...part });
  const returns = value.return_money === true;
  return (
    <>
      <Tick
        label={t('orders.cancel.returnMoney')}
        checked={returns}
        onChange={(return_money) => set({ return_money })}
      />
      {row && returns && (
        <Field label={t('orders.cancel.amount')} errors={errors.amount} hint={t('orders.cancel.amountHint')}>
          {(given) => (
            <input
              {...given}
              className="input"
              inputMode="decimal"
              value={value.amount ?? ''}
              onChange={(event) => set({ amount: moneyByHand.parse(event.target.value) })}
            />
          )}
        </Field>
      )}
      <Field label={t('orders.cancel.reason')} errors={errors.cancel_reason}>
        {(given) => (
          <Select
            id={given.id}
            label={t('orders.cancel.reason')}
            value={value.cancel_reason ?? null}
            options={reasons.map(({ type, label }) => ({
              value: type,
              label: t(`cancelReason.${type as 'other'}`, { defaultValue: label }),
            }))}
            placeholder={t('orders.cancel.noReason')}
            clearable
            invalid={(errors.cancel_reason?.length ?? 0) > 0}
            onChange={(chosen) => set({ cancel_reason: reason.parse(chosen ?? '') })}
          />
        )}
      </Field>
      <Field label={t('orders.cancel.description')} errors={errors.cancel_description}>
        {(given) => (
          <textarea
            {...given}
            className="input"
            rows={2}
            maxLength={2000}
            value={value.cancel_description ?? ''}
            onChange={(event) => set({ cancel_description: event.target.value })}
          />
        )}
      </Field>
      <Tick
        label={t('orders.cancel.tell', { count: row ? 1 : 2 })}
        checked={value.send_email_notification === true}
        onChange={(send_email_notification) => set({ send_email_notification })}
      />
    </>
  );
}
