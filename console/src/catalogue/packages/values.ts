// Converts a package to form values, and form values to request bodies. This module must not send requests.
import type { Schemas } from '@/api/client';
import { PackageType } from '@/api/enums';
import { asInvalidInput, omitIfEmpty, orDefault } from '@/form/codec';
import {
  checkboxCodec,
  confirmationCodec,
  enumCodec,
  fractionAsPercentCodec,
  idCodec,
  moneyCodec,
  parseRows,
  quantityCodec,
  rowsCodec,
  translationsCodec,
  trimmedTextOrNullCodec,
} from '@/form/codecs';
import { type AnyFormSpec, defineForm, type FormValues } from '@/form/spec';

/** A service of a package in the editor. `quantity` and `price` are strings, as the user typed them. */
export interface PackageContent {
  id: number;
  name: string;
  quantity: string;
  /** The price in this package. Empty if the default price of the service applies. */
  price: string;
  is_displayable: boolean;
  default_price: string;
  pricing_per: number;
  min_quantity: number;
  max_quantity: number;
  quantity_step: number;
}

/** The form values of a new package. */
export const NEW_PACKAGE_VALUES: FormValues = { type: 'auto', is_enabled: 'yes', package_contents: '[]' };

export const parseContents = (values: FormValues) => parseRows<PackageContent>(values.package_contents);

/** Sends an empty quantity as an empty string, so that the server reports an error for the field. */
const requiredQuantityCodec = orDefault(quantityCodec, asInvalidInput<number>(''));

const contentsCodec = rowsCodec<
  Schemas['PackageContentInput'],
  PackageContent,
  Schemas['Package']['package_contents'][number]
>(
  ({ id, quantity, price, is_displayable }) => {
    const packagePrice = moneyCodec.parse(price);
    return {
      id,
      quantity: requiredQuantityCodec.parse(quantity),
      ...(packagePrice ? { price: packagePrice } : {}),
      is_displayable,
    };
  },
  ({ cost: _, price, quantity, ...content }) => ({
    ...content,
    quantity: requiredQuantityCodec.format(quantity),
    price: price ?? '',
  }),
);

const ALWAYS_SENT_FORM = defineForm<Schemas['PackageInput']>()({
  translations: translationsCodec,
  type: enumCodec(PackageType),
  network_id: omitIfEmpty(idCodec),
  service_type_id: idCodec,
  is_enabled: checkboxCodec,
  restricted_access: checkboxCodec,
  fixed_cost: moneyCodec,
  discount_fraction: orDefault(fractionAsPercentCodec, '0'),
  slug: trimmedTextOrNullCodec,
  buy_page_url: trimmedTextOrNullCodec,
  confirm_below_margin: confirmationCodec,
});
/** Fields that the request contains only if the user has changed them. */
const CHANGED_ONLY_FORM = defineForm<Schemas['PackageInput']>()({
  sync: checkboxCodec,
  package_contents: contentsCodec,
});
const COST_FORM = defineForm<Schemas['TotalCostInput']>()({
  package_contents: contentsCodec,
  fixed_cost: omitIfEmpty(moneyCodec),
  discount_fraction: omitIfEmpty(fractionAsPercentCodec),
});

export const PACKAGE_SPEC: AnyFormSpec = { codecs: { ...ALWAYS_SENT_FORM.codecs, ...CHANGED_ONLY_FORM.codecs } };

export function toPackageFormValues({ network, service_type, ...fields }: Schemas['Package']): FormValues {
  const record = { ...fields, network_id: network.id, service_type_id: service_type?.id ?? null };
  return { ...CHANGED_ONLY_FORM.toValues(fields), ...ALWAYS_SENT_FORM.toValues(record) };
}

/** Builds the request body of the cost calculation. */
export const buildCostBody = (values: FormValues): Schemas['TotalCostInput'] => COST_FORM.toBody(values);

export function buildPackageBody(values: FormValues, base: FormValues): Schemas['PackageInput'] {
  return { ...ALWAYS_SENT_FORM.toBody(values, base), ...CHANGED_ONLY_FORM.toPatch(values, base) };
}
