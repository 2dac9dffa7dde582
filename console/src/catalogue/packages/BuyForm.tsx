// A package bought for a customer: a combo order with an order for each of its services.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { initAt } from '@/api/how';
import { or } from '@/form/codec';
import { id, trimmedOrNull } from '@/form/codecs';
import { type FormValues, formOf } from '@/form/spec';
import { money } from '@/i18n/format';
import { answerFields, answersOf } from '@/operations/orders/answers';
import { OfferForm, useCustomerField } from '@/operations/orders/OfferForm';
import type { Package } from './calls';

const prefix = (service: number) => `targets.${service}`;

const PURCHASE = formOf<Schemas['BuyPackageInput']>()({ user_id: or(id, 0), url: or(trimmedOrNull, '') });

const bodyOf = (values: FormValues, one: Package): Schemas['BuyPackageInput'] => {
  const answers = one.package_contents.map(
    ({ id, asks = [] }) => [String(id), answersOf(values, asks, prefix(id))] as const,
  );
  return {
    ...PURCHASE.wholeOf(values),
    targets: Object.fromEntries(answers.filter(([, given]) => Object.keys(given).length > 0)),
  };
};

interface Props {
  one: Package;
  onClose: () => void;
  onDone: () => void;
}

export function BuyForm({ one, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const whom = useCustomerField();
  return (
    <OfferForm
      title={t('packages.buy.title', { name: one.name })}
      fields={[
        whom,
        { name: 'url', label: t('orders.columns.url'), mode: 'url', maxLength: 2000 },
        ...one.package_contents.flatMap(({ id, name, asks = [] }) => answerFields(asks, prefix(id), name)),
      ]}
      spec={PURCHASE}
      initial={{}}
      bodyOf={(values) => bodyOf(values, one)}
      send={async (body, how) =>
        (await unwrap(api.POST('/api/v1/admin/packages/{id}/buy', { ...initAt({ id: one.id }, how), body }))).data
      }
      about={(order) =>
        t('orders.place.costs', {
          cost: money(order.cost),
          name: order.user.name,
          status: t(`status.${order.status}`),
        })
      }
      done={(order) => t('packages.buy.done', { id: order.id, cost: money(order.cost) })}
      onClose={onClose}
      onDone={onDone}
    />
  );
}
