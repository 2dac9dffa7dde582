// An order placed for a customer.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { initOf } from '@/api/how';
import { useCountries } from '@/catalogue/services/calls';
import { or } from '@/form/codec';
import { id, quantity, textOrNull, tick, trimmedOrNull } from '@/form/codecs';
import type { FormField } from '@/form/FormDialog';
import { serviceField } from '@/form/ServiceField';
import { type FormValues, formOf } from '@/form/spec';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { answerFields, answersOf } from './answers';
import { OfferForm, useCustomerField } from './OfferForm';

type Asked = Schemas['AskedTarget'];

const NONE: readonly Asked[] = [];

/** What a service asks its customers; nothing for those who may not look at services. */
export function useAsks(service: string, may: boolean): readonly Asked[] {
  const id = Number(service);
  const { data } = useQuery({
    queryKey: ['services', 'asks', id],
    enabled: may && id > 0,
    retry: false,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/services/{id}', { params: { path: { id } } }))).data.asks,
  });
  return data ?? NONE;
}

/** The service of the form, which says what else is asked. */
const withChange = (field: FormField, onChange: (id: string) => void): FormField => {
  const { draw } = field;
  if (!draw) return field;
  return {
    ...field,
    draw: (given) =>
      draw({
        ...given,
        onChange: (id) => {
          onChange(id);
          given.onChange(id);
        },
      }),
  };
};

const ORDER = formOf<Schemas['PlaceOrderInput']>()({
  user_id: or(id, 0),
  service_id: or(id, 0),
  url: or(trimmedOrNull, ''),
  quantity: or(quantity, 0),
  speedup: tick,
  guarantee: tick,
  coupon: trimmedOrNull,
  country: textOrNull,
  comment: textOrNull,
});

const bodyOf = (values: FormValues, asks: readonly Asked[]): Schemas['PlaceOrderInput'] => ({
  ...ORDER.wholeOf(values),
  targets: answersOf(values, asks, 'targets'),
});

interface Props {
  onClose: () => void;
  onDone: () => void;
  /** A customer who is known already. */
  userId?: number;
}

export function PlaceForm({ onClose, onDone, userId }: Props) {
  const { t } = useTranslation();
  const may = useMay();
  const whom = useCustomerField();
  const countries = useCountries();
  const [service, setService] = useState('');
  const asks = useAsks(service, may('view services'));
  return (
    <OfferForm
      title={t('orders.place.title')}
      fields={[
        ...(userId ? [] : [whom]),
        withChange(serviceField('service_id', t('orders.columns.service'), may('view services')), setService),
        { name: 'url', label: t('orders.columns.url'), mode: 'url', maxLength: 2000 },
        { name: 'quantity', label: t('orders.columns.quantity') },
        ...answerFields(asks, 'targets'),
        { name: 'speedup', label: t('orders.place.speedup') },
        { name: 'guarantee', label: t('orders.place.guarantee') },
        { name: 'coupon', label: t('orders.place.coupon'), maxLength: 64 },
        {
          name: 'country',
          label: t('orders.place.country'),
          hint: t('orders.place.countryHint'),
          options: [
            { value: '', label: t('orders.place.anyCountry') },
            ...countries.map(({ iso_code_2, name }) => ({ value: iso_code_2, label: name })),
          ],
        },
        { name: 'comment', label: t('orders.columns.comment'), mode: 'long', maxLength: 5000 },
      ]}
      spec={ORDER}
      initial={{ user_id: userId ? String(userId) : '' }}
      bodyOf={(values) => bodyOf(values, asks)}
      send={async (body, how) => (await unwrap(api.POST('/api/v1/admin/orders', { ...initOf(how), body }))).data}
      about={(order) =>
        t('orders.place.costs', {
          cost: money(order.cost),
          name: order.user.name,
          status: t(`status.${order.status}`),
        })
      }
      done={(order) => t('orders.place.placed', { id: order.id, cost: money(order.cost) })}
      onClose={onClose}
      onDone={onDone}
    />
  );
}
