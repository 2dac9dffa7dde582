// The dialog that buys a package for a customer. The server creates a combo order with one order for each service.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { writeInitWithPath } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { id, trimmedOrNull } from '@/form/codecs';
import { defineForm, type FormValues } from '@/form/spec';
import { formatMoney } from '@/i18n/format';
import { PurchaseForm, useCustomerField } from '@/operations/orders/PurchaseForm';
import { collectTargetAnswers, createTargetFields } from '@/operations/orders/targetFields';
import type { Package } from './calls';

/** The prefix of the names of the fields for the targets of a service. */
const targetPrefix = (serviceId: number) => `targets.${serviceId}`;

const PURCHASE_FORM = defineForm<Schemas['BuyPackageInput']>()({
  user_id: orDefault(id, 0),
  url: orDefault(trimmedOrNull, ''),
});

const bodyOf = (values: FormValues, pkg: Package): Schemas['BuyPackageInput'] => {
  const answersByService = pkg.package_contents.map(
    ({ id, asks = [] }) => [String(id), collectTargetAnswers(values, asks, targetPrefix(id))] as const,
  );
  return {
    ...PURCHASE_FORM.toBody(values),
    targets: Object.fromEntries(answersByService.filter(([, answers]) => Object.keys(answers).length > 0)),
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
        ...pkg.package_contents.flatMap(({ id, name, asks = [] }) => createTargetFields(asks, targetPrefix(id), name)),
      ]}
      spec={PURCHASE_FORM}
      initial={{}}
      buildBody={(values) => bodyOf(values, pkg)}
      send={async (body, options) =>
        (
          await unwrap(
            api.POST('/api/v1/admin/packages/{id}/buy', { ...writeInitWithPath({ id: pkg.id }, options), body }),
          )
        ).data
      }
      quoteText={(order) =>
        t('orders.place.quote', {
          cost: formatMoney(order.cost),
          name: order.user.name,
          status: t(`status.${order.status}`),
        })
      }
      successText={(order) => t('packages.buy.done', { id: order.id, cost: formatMoney(order.cost) })}
      onClose={onClose}
      onDone={onDone}
    />
  );
}
