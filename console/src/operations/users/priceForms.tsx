// The dialogs of custom prices: one price with its settings, or many prices as text with one price per line.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { checkbox, confirmation, factor, id, money, percent, quantity } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { serviceField } from '@/form/ServiceField';
import { defineForm, type FormValues } from '@/form/spec';
import { useHasPermission } from '@/session/hooks';
import { parsePriceLines, withLineErrors } from './priceLines';

type Price = Schemas['UserService'];

interface Props {
  user: Schemas['User'];
  onClose: () => void;
  onChanged: () => void;
}

/** Fractions on the wire, percent in the form. */
const PERCENT_FIELDS = [
  'auto_refill_once_fill_percent',
  'auto_refill_min_drop_percent',
  'auto_refill_max_drop_percent',
  'auto_refill_max_total_refilled_percent',
] as const;

const PRICE = defineForm<Schemas['UserServiceInput']>()({
  service_id: orDefault(id, 0),
  default_price: money,
  min_price: money,
  auto_refill_once_fill_percent: percent,
  auto_refill_min_drop_percent: percent,
  auto_refill_max_drop_percent: percent,
  auto_refill_max_total_refilled_percent: percent,
  max_order_quantity_for_use_throttle: quantity,
  order_quantity_ratio: factor,
  has_refill: checkbox,
  auto_refill_is_allowed: checkbox,
  confirm_below_margin: confirmation,
});

async function readPrice(id: number, current: Price): Promise<FormValues> {
  const { data } = await unwrap(api.GET('/api/v1/admin/users/{id}/user-services', { params: { path: { id } } }));
  // If another staff member deleted the price, the server returns an error when the form is saved.
  return PRICE.toValues(data.find((price) => price.id === current.id) ?? current);
}

export function PriceForm({ user, current, onClose, onChanged }: Props & { current: Price | null }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const service = serviceField('service_id', t('users.prices.service'), hasPermission('view services'));
  const fields: FormField[] = [
    ...(current ? [] : [service]),
    { name: 'default_price', label: t('users.prices.price'), hint: t('users.prices.priceHint') },
    { name: 'min_price', label: t('users.prices.lowest'), hint: t('users.prices.lowestHint') },
    ...PERCENT_FIELDS.map((name): FormField => ({ name, label: t(`users.prices.${name}`) })),
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
      title={current ? t('users.prices.edit', { name: current.service.name }) : t('users.prices.add')}
      confirm={current ? t('ui.save') : t('users.prices.add')}
      fields={fields}
      spec={PRICE}
      initial={PRICE.toValues(current ?? {})}
      reload={current ? () => readPrice(user.id, current) : undefined}
      send={async ({ values, base }, key) => {
        const path = { id: user.id };
        const input = PRICE.toBody(values, base);
        if (!current) {
          const call = { params: { path }, body: input, ...withIdempotencyKey(key) };
          await unwrap(api.POST('/api/v1/admin/users/{id}/user-services', call));
          return;
        }
        const params = { path: { ...path, user_service_id: current.id } };
        const body = { confirm_below_margin: false, ...input };
        await unwrap(api.PATCH('/api/v1/admin/users/{id}/user-services/{user_service_id}', { params, body }));
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}

export function BulkPricesForm({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('users.prices.many')}
      confirm={t('users.prices.set')}
      fields={[{ name: 'lines', label: t('users.prices.lines'), mode: 'long', hint: t('users.prices.linesHint') }]}
      initial={{ lines: '' }}
      send={async ({ values }, key) => {
        const parsed = parsePriceLines(values.lines ?? '');
        if (parsed.invalidLine) {
          const text = parsed.isAmbiguous ? 'users.prices.ambiguousLine' : 'users.prices.badLine';
          const message = t(text, { line: parsed.invalidLine });
          throw new Problem({ status: 422, code: 'invalid', message, fields: { lines: [message] } });
        }
        const confirm = confirmation.parse(values.confirm_below_margin ?? '');
        const request = api.POST('/api/v1/admin/users/{id}/user-services/bulk', {
          params: { path: { id: user.id } },
          ...withIdempotencyKey(key),
          body: {
            user_services: parsed.prices.map(({ price }) => price),
            ...(confirm ? { confirm_below_margin: confirm } : {}),
          },
        });
        await unwrap(request).catch((error) => {
          throw withLineErrors(
            error,
            parsed.prices.map(({ line }) => line),
            (line, message) => t('users.prices.lineSays', { line, what: message }),
          );
        });
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
