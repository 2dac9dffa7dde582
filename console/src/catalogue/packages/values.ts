// A package as values of a form, and the form's values as the body of a change. Pure.
import type { Schemas } from '@/api/client';
import { PackageType } from '@/api/words';
import { asTyped, or, unlessEmpty } from '@/form/codec';
import {
  choice,
  confirmation,
  id,
  money,
  percent,
  quantity,
  rows,
  rowsIn,
  texts,
  tick,
  trimmedOrNull,
} from '@/form/codecs';
import { type AnySpec, type FormValues, formOf } from '@/form/spec';

/** A service of a package, as the editor has it: numbers as they are typed. */
export interface Part {
  id: number;
  name: string;
  quantity: string;
  /** Its price within the package; empty for the service's own. */
  price: string;
  is_displayable: boolean;
  default_price: string;
  pricing_per: number;
  min_quantity: number;
  max_quantity: number;
  quantity_step: number;
}

/** A new package begins like this. */
export const NEW: FormValues = { type: 'auto', is_enabled: 'yes', package_contents: '[]' };

export const partsOf = (values: FormValues) => rowsIn<Part>(values.package_contents);

/** An empty quantity is sent as it is, for the server to name. */
const amount = or(quantity, asTyped<number>(''));

const contents = rows<Schemas['PackageContentInput'], Part, Schemas['Package']['package_contents'][number]>(
  ({ id, quantity, price, is_displayable }) => {
    const own = money.parse(price);
    return { id, quantity: amount.parse(quantity), ...(own ? { price: own } : {}), is_displayable };
  },
  ({ cost: _, price, quantity, ...rest }) => ({ ...rest, quantity: amount.format(quantity), price: price ?? '' }),
);

const TERMS = formOf<Schemas['PackageInput']>()({
  translations: texts,
  type: choice(PackageType),
  network_id: unlessEmpty(id),
  service_type_id: id,
  is_enabled: tick,
  restricted_access: tick,
  fixed_cost: money,
  discount_percent: or(percent, '0'),
  slug: trimmedOrNull,
  buy_page_url: trimmedOrNull,
  confirm_below_margin: confirmation,
});
/** What is sent only where it changed. */
const FOLLOWING = formOf<Schemas['PackageInput']>()({ sync: tick, package_contents: contents });
const DEAL = formOf<Schemas['TotalCostInput']>()({
  package_contents: contents,
  fixed_cost: unlessEmpty(money),
  discount_percent: unlessEmpty(percent),
});

export const PACKAGE: AnySpec = { codecs: { ...TERMS.codecs, ...FOLLOWING.codecs } };

export function valuesOf({ network, service_type, ...of }: Schemas['Package']): FormValues {
  const record = { ...of, network_id: network.id, service_type_id: service_type?.id ?? null };
  return { ...FOLLOWING.valuesOf(of), ...TERMS.valuesOf(record) };
}

/** What the server works a cost out of. */
export const dealOf = (values: FormValues): Schemas['TotalCostInput'] => DEAL.wholeOf(values);

export function bodyOf(values: FormValues, base: FormValues): Schemas['PackageInput'] {
  return { ...TERMS.wholeOf(values, base), ...FOLLOWING.changesOf(values, base) };
}
