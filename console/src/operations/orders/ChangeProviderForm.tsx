// The form of the action that changes the provider of orders. For a single order it also has a field for the quantity.
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { QuantityField } from '@/form/QuantityField';
import { formatMoney, formatNumber } from '@/i18n/format';
import type { FormProps } from '@/table/action';
import { Checkbox, Field } from '@/ui/Field';
import { Select } from '@/ui/Select';

type Provider = Schemas['AvailableProvider'];
/** The values of the form. `provider_id` is missing until the staff member selects a provider. */
export type ChangeProviderValues = Omit<Schemas['ChangeProviderInput'], 'order_ids' | 'provider_id'> & {
  provider_id?: number | null;
};

/** Fetches all pages of the available providers. With `orderId`, each provider has the cost and margin of that order. */
async function fetchAvailableProviders(name: string, orderId: number | null): Promise<Provider[]> {
  const providers: Provider[] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, ...(name ? { name } : {}), ...(orderId === null ? {} : { order_id: orderId }) };
    const response = await unwrap(
      api.GET('/api/v1/admin/providers/available-for-order-recreate', { params: { query } }),
    );
    providers.push(...response.items);
    if (response.lastPage <= response.currentPage) return providers;
  }
}

export function ChangeProviderForm({
  value,
  onChange,
  errors,
  row,
}: FormProps<Schemas['OrderRow'], ChangeProviderValues>) {
  const { t } = useTranslation();
  const [searchText, setSearchText] = useState('');
  const providerName = useDeferredValue(searchText.trim());
  const orderId = row?.id ?? null;
  const { data: providers = [] } = useQuery({
    queryKey: ['available-providers', providerName, orderId],
    queryFn: () => fetchAvailableProviders(providerName, orderId),
  });
  const formatPrice = ({ source_price, source_pricing_per }: Provider) =>
    `${formatMoney(source_price)} / ${source_pricing_per}`;
  const formatCostAndMargin = ({ offer }: Provider) => {
    if (!offer) return '';
    const values = { quantity: formatNumber(offer.quantity) };
    if (!offer.margin) return ` · ${t('orders.provider.unknownCost', values)}`;
    const { provider_cost, margin } = offer.margin;
    return ` · ${t('orders.provider.costAndMargin', { ...values, cost: formatMoney(provider_cost), margin: formatMoney(margin) })}`;
  };
  return (
    <>
      <Field label={t('orders.provider.search')}>
        {(controlProps) => (
          <input
            {...controlProps}
            className="input"
            type="search"
            data-autofocus
            value={searchText}
            onChange={(event) => setSearchText(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('orders.provider.provider')} errors={errors.provider_id}>
        {(controlProps) => (
          <Select
            id={controlProps.id}
            label={t('orders.provider.provider')}
            value={value.provider_id ?? null}
            options={providers.map((provider) => ({
              value: provider.id,
              label: `${provider.name} · ${formatPrice(provider)}${formatCostAndMargin(provider)}`,
            }))}
            placeholder={t('orders.provider.chooseProvider')}
            invalid={(errors.provider_id?.length ?? 0) > 0}
            onChange={(provider_id) => onChange({ ...value, provider_id })}
          />
        )}
      </Field>
      {row && <QuantityFields value={value} onChange={onChange} errors={errors} />}
      {(value.confirm_negative_margin === true || errors.confirm_negative_margin) && (
        <Checkbox
          label={t('orders.provider.confirmNegativeMargin')}
          checked={value.confirm_negative_margin === true}
          onChange={(confirm_negative_margin) => onChange({ ...value, confirm_negative_margin })}
        />
      )}
    </>
  );
}

/** The quantity to order. A quantity above the undelivered quantity requires `allow_excess` and a reason. */
function QuantityFields({
  value,
  onChange,
  errors,
}: Pick<FormProps<unknown, ChangeProviderValues>, 'value' | 'onChange' | 'errors'>) {
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
      <Checkbox
        label={t('orders.provider.allowExcess')}
        checked={value.allow_excess === true}
        onChange={(allow_excess) => onChange({ ...value, allow_excess, ...(allow_excess ? {} : { reason: null }) })}
      />
      {value.allow_excess === true && (
        <Field label={t('orders.provider.reason')} errors={errors.reason}>
          {(controlProps) => (
            <textarea
              {...controlProps}
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
