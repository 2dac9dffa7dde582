// The dialog that places an order for a customer.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { createWriteOptions } from '@/api/writeOptions';
import { useCountries } from '@/catalogue/services/requests';
import { orDefault } from '@/form/codec';
import { checkboxCodec, idCodec, quantityCodec, textOrNullCodec, trimmedTextOrNullCodec } from '@/form/codecs';
import type { FormField } from '@/form/FormDialog';
import { createServiceField } from '@/form/ServiceField';
import { defineForm, type FormValues } from '@/form/spec';
import { formatMoney } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { PurchaseForm, useCustomerField } from './PurchaseForm';
import { collectTargetValues, createTargetFields } from './targetFields';

type ServiceTarget = Schemas['RequestedTarget'];

const NO_TARGETS: readonly ServiceTarget[] = [];

/** Returns the targets that an order for the service must fill in. Empty for staff who may not view services. */
export function useServiceTargets(serviceId: string, canViewServices: boolean): readonly ServiceTarget[] {
  const id = Number(serviceId);
  const { data } = useQuery({
    queryKey: ['services', 'requested-targets', id],
    enabled: canViewServices && id > 0,
    retry: false,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/services/{id}', { params: { path: { id } } }))).data.requested_targets,
  });
  return data ?? NO_TARGETS;
}

/** Returns a copy of the field that also calls `onChange` before it changes the form. */
const withChangeListener = (field: FormField, listener: (id: string) => void): FormField => {
  const { render } = field;
  if (!render) return field;
  return {
    ...field,
    render: (renderProps) =>
      render({
        ...renderProps,
        onChange: (id) => {
          listener(id);
          renderProps.onChange(id);
        },
      }),
  };
};

const ORDER_FORM = defineForm<Schemas['PlaceOrderInput']>()({
  user_id: orDefault(idCodec, 0),
  service_id: orDefault(idCodec, 0),
  url: orDefault(trimmedTextOrNullCodec, ''),
  quantity: orDefault(quantityCodec, 0),
  speedup: checkboxCodec,
  guarantee: checkboxCodec,
  coupon: trimmedTextOrNullCodec,
  country: textOrNullCodec,
  comment: textOrNullCodec,
});

const buildBody = (values: FormValues, targets: readonly ServiceTarget[]): Schemas['PlaceOrderInput'] => ({
  ...ORDER_FORM.toBody(values),
  targets: collectTargetValues(values, targets, 'targets'),
});

interface Props {
  onClose: () => void;
  onDone: () => void;
  /** The id of the customer. Without it, the dialog has a field for the customer. */
  userId?: number;
}

export function PlaceOrderForm({ onClose, onDone, userId }: Props) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const customerField = useCustomerField();
  const countries = useCountries();
  const [serviceId, setServiceId] = useState('');
  const targets = useServiceTargets(serviceId, hasPermission('view services'));
  return (
    <PurchaseForm
      title={t('orders.place.title')}
      fields={[
        ...(userId ? [] : [customerField]),
        withChangeListener(
          createServiceField('service_id', t('orders.columns.service'), hasPermission('view services')),
          setServiceId,
        ),
        { name: 'url', label: t('orders.columns.url'), mode: 'url', maxLength: 2000 },
        { name: 'quantity', label: t('orders.columns.quantity') },
        ...createTargetFields(targets, 'targets'),
        { name: 'speedup', label: t('orders.place.speedup') },
        { name: 'guarantee', label: t('orders.place.guarantee') },
        { name: 'coupon', label: t('orders.place.coupon'), maxLength: 64 },
        {
          name: 'country',
          label: t('orders.place.country'),
          hint: t('orders.place.countryHint'),
          options: [
            { value: '', label: t('orders.place.unknownCountry') },
            ...countries.map(({ iso_code_2, name }) => ({ value: iso_code_2, label: name })),
          ],
        },
        { name: 'comment', label: t('orders.columns.comment'), mode: 'multiline', maxLength: 5000 },
      ]}
      spec={ORDER_FORM}
      initialValues={{ user_id: userId ? String(userId) : '' }}
      buildBody={(values) => buildBody(values, targets)}
      send={async (body, options) =>
        (await unwrap(api.POST('/api/v1/admin/orders', { ...createWriteOptions(options), body }))).data
      }
      formatQuote={(order) =>
        t('orders.place.quote', {
          cost: formatMoney(order.cost),
          name: order.user.name,
          status: t(`status.${order.status}`),
        })
      }
      formatSuccess={(order) => t('orders.place.placed', { id: order.id, cost: formatMoney(order.cost) })}
      onClose={onClose}
      onDone={onDone}
    />
  );
}
