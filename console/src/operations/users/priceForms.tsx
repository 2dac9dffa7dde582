// Two dialogs for custom prices: one price with its settings, or many prices as a text with one price per line.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import {
  checkboxCodec,
  confirmationCodec,
  fractionAsPercentCodec,
  idCodec,
  moneyCodec,
  quantityCodec,
  ratioCodec,
} from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { createServiceField } from '@/form/ServiceField';
import { defineForm, type FormValues } from '@/form/spec';
import { useHasPermission } from '@/session/hooks';
import { assignErrorsToLines, parsePriceLines } from './priceLines';

type CustomPrice = Schemas['UserService'];

interface Props {
  user: Schemas['User'];
  onClose: () => void;
  onChanged: () => void;
}

/** The API uses fractions in these fields; the form shows percentages. */
const FRACTION_FIELDS = [
  'auto_refill_once_fill_fraction',
  'auto_refill_min_drop_fraction',
  'auto_refill_max_drop_fraction',
  'auto_refill_max_total_refilled_fraction',
] as const;

const PRICE_FORM = defineForm<Schemas['UserServiceInput']>()({
  service_id: orDefault(idCodec, 0),
  default_price: moneyCodec,
  min_price: moneyCodec,
  auto_refill_once_fill_fraction: fractionAsPercentCodec,
  auto_refill_min_drop_fraction: fractionAsPercentCodec,
  auto_refill_max_drop_fraction: fractionAsPercentCodec,
  auto_refill_max_total_refilled_fraction: fractionAsPercentCodec,
  max_order_quantity_for_use_throttle: quantityCodec,
  order_quantity_ratio: ratioCodec,
  has_refill: checkboxCodec,
  auto_refill_is_allowed: checkboxCodec,
  confirm_below_margin: confirmationCodec,
});

async function fetchPriceValues(userId: number, price: CustomPrice): Promise<FormValues> {
  const { data } = await unwrap(
    api.GET('/api/v1/admin/users/{id}/user-services', { params: { path: { id: userId } } }),
  );
  // If another staff member has deleted the price, the form keeps its values, and the server rejects to save them.
  return PRICE_FORM.toValues(data.find(({ id }) => id === price.id) ?? price);
}

export function PriceForm({ user, price, onClose, onChanged }: Props & { price: CustomPrice | null }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const selectService = createServiceField('service_id', t('users.prices.service'), hasPermission('view services'));
  const fields: FormField[] = [
    ...(price ? [] : [selectService]),
    { name: 'default_price', label: t('users.prices.price'), hint: t('users.prices.priceHint') },
    { name: 'min_price', label: t('users.prices.minPrice'), hint: t('users.prices.minPriceHint') },
    ...FRACTION_FIELDS.map((name): FormField => ({ name, label: t(`users.prices.${name}`) })),
    {
      name: 'max_order_quantity_for_use_throttle',
      label: t('users.prices.maxQuantityForRatio'),
      hint: t('users.prices.maxQuantityForRatioHint'),
    },
    { name: 'order_quantity_ratio', label: t('users.prices.ratio'), hint: t('users.prices.ratioHint') },
    { name: 'has_refill', label: t('users.prices.hasRefill') },
    { name: 'auto_refill_is_allowed', label: t('users.prices.autoRefill') },
  ];
  return (
    <FormDialog
      title={price ? t('users.prices.edit', { name: price.service.name }) : t('users.prices.add')}
      confirmLabel={price ? t('ui.save') : t('users.prices.add')}
      fields={fields}
      spec={PRICE_FORM}
      initialValues={PRICE_FORM.toValues(price ?? {})}
      reload={price ? () => fetchPriceValues(user.id, price) : undefined}
      send={async ({ values, base }, key) => {
        const path = { id: user.id };
        const input = PRICE_FORM.toBody(values, base);
        if (!price) {
          const request = { params: { path }, body: input, ...withIdempotencyKey(key) };
          await unwrap(api.POST('/api/v1/admin/users/{id}/user-services', request));
          return;
        }
        const params = { path: { ...path, user_service_id: price.id } };
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
      title={t('users.prices.setMultiple')}
      confirmLabel={t('users.prices.setPrices')}
      fields={[{ name: 'lines', label: t('users.prices.lines'), mode: 'multiline', hint: t('users.prices.linesHint') }]}
      initialValues={{ lines: '' }}
      send={async ({ values }, key) => {
        const parsedLines = parsePriceLines(values.lines ?? '');
        if (parsedLines.invalidLine) {
          const textKey = parsedLines.isAmbiguous ? 'users.prices.ambiguousLine' : 'users.prices.invalidLine';
          const message = t(textKey, { line: parsedLines.invalidLine });
          throw new Problem({ status: 422, code: 'invalid', message, fields: { lines: [message] } });
        }
        const confirm = confirmationCodec.parse(values.confirm_below_margin ?? '');
        const request = api.POST('/api/v1/admin/users/{id}/user-services/bulk', {
          params: { path: { id: user.id } },
          ...withIdempotencyKey(key),
          body: {
            user_services: parsedLines.prices.map(({ price }) => price),
            ...(confirm ? { confirm_below_margin: confirm } : {}),
          },
        });
        await unwrap(request).catch((error) => {
          throw assignErrorsToLines(
            error,
            parsedLines.prices.map(({ line }) => line),
            (line, message) => t('users.prices.lineError', { line, message }),
          );
        });
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
