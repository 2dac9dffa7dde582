// The dialogs of custom prices: one with its terms, and many at once, a line each.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { Problem } from '@/api/problem';
import { or } from '@/form/codec';
import { confirmation, factor, id, money, percent, quantity, tick } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { serviceField } from '@/form/ServiceField';
import { type FormValues, formOf } from '@/form/spec';
import { useMay } from '@/session/hooks';
import { linesOf, placed } from './priceLines';

type Price = Schemas['UserService'];

interface Props {
  user: Schemas['User'];
  onClose: () => void;
  onChanged: () => void;
}

/** Shares, typed as percent. */
const SHARES = [
  'auto_refill_once_fill_percent',
  'auto_refill_min_drop_percent',
  'auto_refill_max_drop_percent',
  'auto_refill_max_total_refilled_percent',
] as const;

const PRICE = formOf<Schemas['UserServiceInput']>()({
  service_id: or(id, 0),
  default_price: money,
  min_price: money,
  auto_refill_once_fill_percent: percent,
  auto_refill_min_drop_percent: percent,
  auto_refill_max_drop_percent: percent,
  auto_refill_max_total_refilled_percent: percent,
  max_order_quantity_for_use_throttle: quantity,
  order_quantity_ratio: factor,
  has_refill: tick,
  auto_refill_is_allowed: tick,
  confirm_below_margin: confirmation,
});

async function newest(id: number, old: Price): Promise<FormValues> {
  const { data } = await unwrap(api.GET('/api/v1/admin/users/{id}/user-services', { params: { path: { id } } }));
  // One that is gone says so when it is saved.
  return PRICE.valuesOf(data.find((price) => price.id === old.id) ?? old);
}

export function PriceForm({ user, old, onClose, onChanged }: Props & { old: Price | null }) {
  const { t } = useTranslation();
  const may = useMay();
  const service = serviceField('service_id', t('users.prices.service'), may('view services'));
  const fields: FormField[] = [
    ...(old ? [] : [service]),
    { name: 'default_price', label: t('users.prices.price'), hint: t('users.prices.priceHint') },
    { name: 'min_price', label: t('users.prices.lowest'), hint: t('users.prices.lowestHint') },
    ...SHARES.map((name): FormField => ({ name, label: t(`users.prices.${name}`) })),
    {
      name: 'max_order_quantity_for_use_throttle',
      label: t('users.prices.throttle'),
      hint: t('users.prices.throttleHint'),
    },
    { name: 'order_quantity_ratio', label: t('users.prices.ratio'), hint: t('users.prices.ratioHint') },
    { name: 'has_refill', label: t('users.prices.hasRefill') },
    { name: 'auto_refill_is_allowed', label: t('users.prices.autoRefill') },
  ];
  return (
    <FormDialog
      title={old ? t('users.prices.edit', { name: old.service.name }) : t('users.prices.add')}
      confirm={old ? t('ui.save') : t('users.prices.add')}
      fields={fields}
      spec={PRICE}
      initial={PRICE.valuesOf(old ?? {})}
      reload={old ? () => newest(user.id, old) : undefined}
      send={async ({ values, base }, key) => {
        const path = { id: user.id };
        const terms = PRICE.wholeOf(values, base);
        if (!old) {
          const call = { params: { path }, body: terms, ...keyed(key) };
          await unwrap(api.POST('/api/v1/admin/users/{id}/user-services', call));
          return;
        }
        const params = { path: { ...path, user_service_id: old.id } };
        const body = { confirm_below_margin: false, ...terms };
        await unwrap(api.PATCH('/api/v1/admin/users/{id}/user-services/{user_service_id}', { params, body }));
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}

export function ManyPrices({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('users.prices.many')}
      confirm={t('users.prices.set')}
      fields={[{ name: 'lines', label: t('users.prices.lines'), mode: 'long', hint: t('users.prices.linesHint') }]}
      initial={{ lines: '' }}
      send={async ({ values }, key) => {
        const read = linesOf(values.lines ?? '');
        if (read.wrong) {
          const says = read.isAmbiguous ? 'users.prices.ambiguousLine' : 'users.prices.badLine';
          const message = t(says, { line: read.wrong });
          throw new Problem({ status: 422, code: 'invalid', message, fields: { lines: [message] } });
        }
        const confirm = confirmation.parse(values.confirm_below_margin ?? '');
        const sent = api.POST('/api/v1/admin/users/{id}/user-services/bulk', {
          params: { path: { id: user.id } },
          ...keyed(key),
          body: {
            user_services: read.prices.map(({ price }) => price),
            ...(confirm ? { confirm_below_margin: confirm } : {}),
          },
        });
        await unwrap(sent).catch((error) => {
          throw placed(
            error,
            read.prices.map(({ line }) => line),
            (line, what) => t('users.prices.lineSays', { line, what }),
          );
        });
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
