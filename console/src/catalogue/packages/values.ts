// Converts a package to form values, and form values to request bodies. No I/O.
import type { Schemas } from '@/api/client';
import { PackageType } from '@/api/words';
import { asUnparsed, omitIfEmpty, orDefault } from '@/form/codec';
import {
  checkbox,
  choice,
  confirmation,
  id,
  money,
  parseRows,
  percent,
  quantity,
  rows,
  texts,
  trimmedOrNull,
} from '@/form/codecs';
import { type AnyFormSpec, defineForm, type FormValues } from '@/form/spec';

/** A service of a package in the editor. `quantity` and `price` are texts as the person typed them. */
export interface PackageContent {
  id: number;
  name: string;
  quantity: string;
  /** The price within the package; empty means the price of the service. */
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

/** Sends an empty quantity as an empty text, so that the server names the field in its error. */
const amount = orDefault(quantity, asUnparsed<number>(''));

const contents = rows<Schemas['PackageContentInput'], PackageContent, Schemas['Package']['package_contents'][number]>(
  ({ id, quantity, price, is_displayable }) => {
    const ownPrice = money.parse(price);
    return { id, quantity: amount.parse(quantity), ...(ownPrice ? { price: ownPrice } : {}), is_displayable };
  },
  ({ cost: _, price, quantity, ...rest }) => ({ ...rest, quantity: amount.format(quantity), price: price ?? '' }),
);

const ALWAYS_SENT = defineForm<Schemas['PackageInput']>()({
  translations: texts,
  type: choice(PackageType),
  network_id: omitIfEmpty(id),
  service_type_id: id,
  is_enabled: checkbox,
  restricted_access: checkbox,
  fixed_cost: money,
  discount_percent: orDefault(percent, '0'),
  slug: trimmedOrNull,
  buy_page_url: trimmedOrNull,
  confirm_below_margin: confirmation,
});
/** Fields that are sent only when they changed. */
const SENT_WHEN_CHANGED = defineForm<Schemas['PackageInput']>()({ sync: checkbox, package_contents: contents });
const COST_INPUT = defineForm<Schemas['TotalCostInput']>()({
  package_contents: contents,
  fixed_cost: omitIfEmpty(money),
  discount_percent: omitIfEmpty(percent),
});

export const PACKAGE: AnyFormSpec = { codecs: { ...ALWAYS_SENT.codecs, ...SENT_WHEN_CHANGED.codecs } };

export function valuesOf({ network, service_type, ...rest }: Schemas['Package']): FormValues {
  const record = { ...rest, network_id: network.id, service_type_id: service_type?.id ?? null };
  return { ...SENT_WHEN_CHANGED.toValues(rest), ...ALWAYS_SENT.toValues(record) };
}

/** The request body of the cost calculation. */
export const costInputOf = (values: FormValues): Schemas['TotalCostInput'] => COST_INPUT.toBody(values);

export function bodyOf(values: FormValues, base: FormValues): Schemas['PackageInput'] {
  return { ...ALWAYS_SENT.toBody(values, base), ...SENT_WHEN_CHANGED.toPatch(values, base) };
}
