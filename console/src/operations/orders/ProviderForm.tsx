// To which provider, and how much of it where it is one order.
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { QuantityField } from '@/form/QuantityField';
import { count, money } from '@/i18n/format';
import type { FormProps } from '@/table/action';
import { Field, Tick } from '@/ui/Field';
import { Select } from '@/ui/Select';

type Provider = Schemas['AvailableProvider'];
/** To which provider, as far as it is chosen. */
export type ToProvider = Omit<Schemas['ChangeProviderInput'], 'order_ids' | 'provider_id'> & {
  provider_id?: number | null;
};

/** All pages, as the answer's own numbers lead; with what one order would come to at each. */
async function available(name: string, orderId: number | null): Promise<Provider[]> {
  const all: Provider[] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, ...(name ? { name } : {}), ...(orderId === null ? {} : { order_id: orderId }) };
    const answer = await unwrap(api.GET('/api/v1/admin/providers/available-for-order-recreate', { params: { query } }));
    all.push(...answer.items);
    if (answer.lastPage <= answer.currentPage) return all;
  }
}

export function ProviderForm({ value, onChange, errors, row }: FormProps<Schemas['OrderRow'], ToProvider>) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const wanted = useDeferredValue(name.trim());
  const orderId = row?.id ?? null;
  const { data: providers = [] } = useQuery({
    queryKey: ['available-providers', wanted, orderId],
    queryFn: () => available(wanted, orderId),
  });
  const offered = ({ offer }: Provider) => {
    if (!offer) return '';
    const shown = { quantity: count(offer.quantity) };
    if (!offer.margin) return ` · ${t('orders.provider.offerUnknown', shown)}`;
    const { provider_cost, margin } = offer.margin;
    return ` · ${t('orders.provider.offer', { ...shown, cost: money(provider_cost), margin: money(margin) })}`;
  };
  return (
    <>
      <Field label={t('orders.provider.search')}>
        {(given) => (
          <input
            {...given}
            className="input"
            type="search"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('orders.provider.provider')} errors={errors.provider_id}>
        {(given) => (
          <Select
            id={given.id}
            label={t('orders.provider.provider')}
            value={value.provider_id ?? null}
            options={providers.map((provider) => ({
              value: provider.id,
              label: `${provider.name} · ${money(provider.source_price)} / ${provider.source_pricing_per}${offered(provider)}`,
            }))}
            placeholder={t('orders.provider.choose')}
            invalid={(errors.provider_id?.length ?? 0) > 0}
            onChange={(provider_id) => onChange({ ...value, provider_id })}
          />
        )}
      </Field>
      {row && <Quantity value={value} onChange={onChange} errors={errors} />}
      {(value.confirm_negative_margin === true || errors.confirm_negative_margin) && (
        <Tick
          label={t('orders.provider.confirmLoss')}
          checked={value.confirm_negative_margin === true}
          onChange={(confirm_negative_margin) => onChange({ ...value, confirm_negative_margin })}
        />
      )}
    </>
  );
}

/** How much of one order; more than is missing only with a reason. */
function Quantity({ value, onChange, errors }: Pick<FormProps<unknown, ToProvider>, 'value' | 'onChange' | 'errors'>) {
  const { t } = useTranslation();
  return (
    <>
      <QuantityField
        label={t('orders.provider.quantity')}
        hint={t('orders.provider.quantityHint')}
        value={value.quantity}
        onChange={(quantity) => onChange({ ...value, quantity })}
        errors={errors.quantity}
      />
      <Tick
        label={t('orders.provider.allowExcess')}
        checked={value.allow_excess === true}
        onChange={(allow_excess) => onChange({ ...value, allow_excess, ...(allow_excess ? {} : { reason: null }) })}
      />
      {value.allow_excess === true && (
        <Field label={t('orders.provider.reason')} errors={errors.reason}>
          {(given) => (
            <textarea
              {...given}
              className="input"
              rows={2}
              maxLength={2000}
              value={value.reason ?? ''}
              onChange={(event) => onChange({ ...value, reason: event.target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}
