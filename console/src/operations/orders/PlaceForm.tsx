// An order placed for a customer.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { useCountries } from '@/catalogue/services/calls';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import type { FormField } from '@/ui/FormDialog';
import { serviceField } from '@/ui/ServiceField';
import { answerFields, answersOf } from './answers';
import { OfferForm, useCustomerField } from './OfferForm';

type Values = Record<string, string>;

type Asked = Schemas['AskedTarget'];

const NONE: readonly Asked[] = [];

/** What a service asks its customers; nothing for those who may not look at services. */
export function useAsks(service: string, may: boolean): readonly Asked[] {
  const id = Number(service);
  const { data } = useQuery({
    queryKey: ['services', 'asks', id],
    enabled: may && id > 0,
    retry: false,
    queryFn: async () => (await told(api.GET('/api/v1/admin/services/{id}', { params: { path: { id } } }))).data.asks,
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

const bodyOf = (values: Values, asks: readonly Asked[]): Schemas['PlaceOrderInput'] => ({
  user_id: Number(values.user_id) || 0,
  service_id: Number(values.service_id) || 0,
  url: (values.url ?? '').trim(),
  quantity: Number((values.quantity ?? '').replace(/\s/g, '')) || 0,
  speedup: values.speedup === 'yes',
  guarantee: values.guarantee === 'yes',
  coupon: values.coupon?.trim() || null,
  country: values.country || null,
  comment: values.comment || null,
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
        { name: 'quantity', label: t('orders.columns.quantity'), mode: 'numeric' },
        ...answerFields(asks, 'targets'),
        { name: 'speedup', label: t('orders.place.speedup'), mode: 'tick' },
        { name: 'guarantee', label: t('orders.place.guarantee'), mode: 'tick' },
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
      initial={{
        user_id: userId ? String(userId) : '',
        service_id: '',
        url: '',
        quantity: '',
        coupon: '',
        country: '',
        comment: '',
      }}
      bodyOf={(values) => bodyOf(values, asks)}
      send={async (body, how) => (await told(api.POST('/api/v1/admin/orders', { ...how, body }))).data}
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
