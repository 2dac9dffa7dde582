// Converts a package to form values, and form values to request bodies. This module must not call the server.
import type { Schemas } from '@/api/client';
import { PackageType } from '@/api/enums';
import { asUnparsed, omitIfEmpty, orDefault } from '@/form/codec';
import {
  checkbox,
  choice,
  confirmation,
  fractionAsPercent,
  id,
  money,
  parseRows,
  quantity,
  rows,
  texts,
  trimmedOrNull,
} from '@/form/codecs';
import { type AnyFormSpec, defineForm, type FormValues } from '@/form/spec';

/** A service of a package in the editor. `quantity` and `price` are texts, as the user has typed them. */
export interface PackageContent {
  id: number;
  name: string;
  quantity: string;
  /** The price in this package; empty for the price of the service. */
  price: string;
  is_displayable: boolean;
  default_price: string;
  pricing_per: number;
  min_quantity: number;
  max_quantity: number;
  quantity_step: number;
}

/** The form values of a new package. */
export const NEW_PACKAGE: FormValues = { type: 'auto', is_enabled: 'yes', package_contents: '[]' };

export const contentsOf = (values: FormValues) => parseRows<PackageContent>(values.package_contents);

/** Sends an empty quantity as an empty text, so that the server reports an error for the field. */
const requiredQuantity = orDefault(quantity, asUnparsed<number>(''));

const contentRows = rows<
  Schemas['PackageContentInput'],
  PackageContent,
  Schemas['Package']['package_contents'][number]
>(
  ({ id, quantity, price, is_displayable }) => {
    const ownPrice = money.parse(price);
    return { id, quantity: requiredQuantity.parse(quantity), ...(ownPrice ? { price: ownPrice } : {}), is_displayable };
  },
  ({ cost: _, price, quantity, ...content }) => ({
    ...content,
    quantity: requiredQuantity.format(quantity),
    price: price ?? '',
  }),
);

const ALWAYS_SENT_FIELDS = defineForm<Schemas['PackageInput']>()({
  translations: texts,
  type: choice(PackageType),
  network_id: omitIfEmpty(id),
  service_type_id: id,
  is_enabled: checkbox,
  restricted_access: checkbox,
  fixed_cost: money,
  discount_fraction: orDefault(fractionAsPercent, '0'),
  slug: trimmedOrNull,
  buy_page_url: trimmedOrNull,
  confirm_below_margin: confirmation,
});
/** Fields that are sent only if they have changed. */
const CHANGED_ONLY_FIELDS = defineForm<Schemas['PackageInput']>()({ sync: checkbox, package_contents: contentRows });
const COST_FORM = defineForm<Schemas['TotalCostInput']>()({
  package_contents: contentRows,
  fixed_cost: omitIfEmpty(money),
  discount_fraction: omitIfEmpty(fractionAsPercent),
});

export const PACKAGE_SPEC: AnyFormSpec = { codecs: { ...ALWAYS_SENT_FIELDS.codecs, ...CHANGED_ONLY_FIELDS.codecs } };

export function valuesOf({ network, service_type, ...fields }: Schemas['Package']): FormValues {
  const record = { ...fields, network_id: network.id, service_type_id: service_type?.id ?? null };
  return { ...CHANGED_ONLY_FIELDS.toValues(fields), ...ALWAYS_SENT_FIELDS.toValues(record) };
}

/** The request body of the cost calculation. */
export const costInputOf = (values: FormValues): Schemas['TotalCostInput'] => COST_FORM.toBody(values);

export function bodyOf(values: FormValues, base: FormValues): Schemas['PackageInput'] {
  return { ...ALWAYS_SENT_FIELDS.toBody(values, base), ...CHANGED_ONLY_FIELDS.toPatch(values, base) };
}
