// An order placed for a customer.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { useCountries } from '@/catalogue/services/calls';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { serviceField } from '@/ui/ServiceField';
import { OfferForm, useCustomerField } from './OfferForm';

type Values = Record<string, string>;

const bodyOf = (values: Values): Schemas['PlaceOrderInput'] => ({
  user_id: Number(values.user_id) || 0,
  service_id: Number(values.service_id) || 0,
  url: (values.url ?? '').trim(),
  quantity: Number((values.quantity ?? '').replace(/\s/g, '')) || 0,
  speedup: values.speedup === 'yes',
  guarantee: values.guarantee === 'yes',
  coupon: values.coupon?.trim() || null,
  country: values.country || null,
  comment: values.comment || null,
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
  return (
    <OfferForm
      title={t('orders.place.title')}
      fields={[
        ...(userId ? [] : [whom]),
        serviceField('service_id', t('orders.columns.service'), may('view services')),
        { name: 'url', label: t('orders.columns.url'), mode: 'url', maxLength: 2000 },
        { name: 'quantity', label: t('orders.columns.quantity'), mode: 'numeric' },
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
      bodyOf={bodyOf}
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
