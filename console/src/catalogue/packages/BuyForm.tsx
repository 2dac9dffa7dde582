// A package bought for a customer: a combo order with an order for each of its services.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { money } from '@/i18n/format';
import { answerFields, answersOf } from '@/operations/orders/answers';
import { OfferForm, useCustomerField } from '@/operations/orders/OfferForm';
import type { Package } from './calls';

const prefix = (service: number) => `targets.${service}`;

const bodyOf = (values: Record<string, string>, one: Package): Schemas['BuyPackageInput'] => {
  const answers = one.package_contents.map(
    ({ id, asks = [] }) => [String(id), answersOf(values, asks, prefix(id))] as const,
  );
  return {
    user_id: Number(values.user_id) || 0,
    url: (values.url ?? '').trim(),
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
  const path = { id: one.id };
  return (
    <OfferForm
      title={t('packages.buy.title', { name: one.name })}
      fields={[
        whom,
        { name: 'url', label: t('orders.columns.url'), mode: 'url', maxLength: 2000 },
        ...one.package_contents.flatMap(({ id, name, asks = [] }) => answerFields(asks, prefix(id), name)),
      ]}
      initial={{ user_id: '', url: '' }}
      bodyOf={(values) => bodyOf(values, one)}
      send={async (body, how) =>
        (
          await told(
            api.POST('/api/v1/admin/packages/{id}/buy', {
              ...how,
              params: { path, ...('params' in how ? how.params : {}) },
              body,
            }),
          )
        ).data
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
