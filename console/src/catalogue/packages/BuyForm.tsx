// The dialog that buys a package for a customer. The server creates a combo order with one order for each service.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { createWriteOptionsWithPath } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { idCodec, trimmedTextOrNullCodec } from '@/form/codecs';
import { defineForm, type FormValues } from '@/form/spec';
import { formatMoney } from '@/i18n/format';
import { PurchaseForm, useCustomerField } from '@/operations/orders/PurchaseForm';
import { collectTargetValues, createTargetFields } from '@/operations/orders/targetFields';
import type { Package } from './requests';

/** Returns the prefix of the field names for the targets of a service. */
const getTargetFieldPrefix = (serviceId: number) => `targets.${serviceId}`;

const PURCHASE_FORM = defineForm<Schemas['BuyPackageInput']>()({
  user_id: orDefault(idCodec, 0),
  url: orDefault(trimmedTextOrNullCodec, ''),
});

const buildPurchaseBody = (values: FormValues, pkg: Package): Schemas['BuyPackageInput'] => {
  const answersOfServices = pkg.package_contents.map(
    ({ id, requested_targets: targets = [] }) =>
      [String(id), collectTargetValues(values, targets, getTargetFieldPrefix(id))] as const,
  );
  return {
    ...PURCHASE_FORM.toBody(values),
    targets: Object.fromEntries(answersOfServices.filter(([, answers]) => Object.keys(answers).length > 0)),
  };
};

interface Props {
  pkg: Package;
  onClose: () => void;
  onDone: () => void;
}

export function BuyForm({ pkg, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const customerField = useCustomerField();
  return (
    <PurchaseForm
      title={t('packages.buy.title', { name: pkg.name })}
      fields={[
        customerField,
        { name: 'url', label: t('orders.columns.url'), mode: 'url', maxLength: 2000 },
        ...pkg.package_contents.flatMap(({ id, name, requested_targets: targets = [] }) =>
          createTargetFields(targets, getTargetFieldPrefix(id), name),
        ),
      ]}
      spec={PURCHASE_FORM}
      initialValues={{}}
      buildBody={(values) => buildPurchaseBody(values, pkg)}
      send={async (body, options) =>
        (
          await unwrap(
            api.POST('/api/v1/admin/packages/{id}/buy', {
              ...createWriteOptionsWithPath({ id: pkg.id }, options),
              body,
            }),
          )
        ).data
      }
      formatQuote={(order) =>
        t('orders.place.quote', {
          cost: formatMoney(order.cost),
          name: order.user.name,
          status: t(`status.${order.status}`),
        })
      }
      formatSuccess={(order) => t('packages.buy.done', { id: order.id, cost: formatMoney(order.cost) })}
      onClose={onClose}
      onDone={onDone}
    />
  );
}
