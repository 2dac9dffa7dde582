// A package as values of a form, and the form's values as the body of a change. Pure.
import type { Schemas } from '@/api/client';
import { fractionOf, percentOf } from '@/ui/fraction';
import { textsOf } from '@/ui/texts';
import { confirmation } from '@/ui/useForm';

export type Values = Record<string, string>;

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
export const NEW: Values = { type: 'auto', is_enabled: 'yes', package_contents: '[]' };

export const partsOf = (values: Values): Part[] => JSON.parse(values.package_contents || '[]');

export function valuesOf(of: Schemas['Package']): Values {
  const parts = of.package_contents.map(({ cost: _, price, quantity, ...rest }) => ({
    ...rest,
    quantity: String(quantity),
    price: price ?? '',
  }));
  return {
    updated_at: of.updated_at,
    translations: JSON.stringify(of.translations),
    type: of.type,
    network_id: String(of.network.id),
    service_type_id: of.service_type ? String(of.service_type.id) : '',
    is_enabled: of.is_enabled ? 'yes' : '',
    restricted_access: of.restricted_access ? 'yes' : '',
    sync: of.sync ? 'yes' : '',
    fixed_cost: of.fixed_cost ?? '',
    discount_percent: percentOf(of.discount_percent),
    slug: of.slug ?? '',
    buy_page_url: of.buy_page_url ?? '',
    package_contents: JSON.stringify(parts),
  };
}

const money = (text: string | undefined) => (text ?? '').trim().replace(/\s/g, '').replace(',', '.');
/** What is no whole number stays as it was typed, for the server to name. */
const whole = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : text) as number;

/** What the server works a cost out of. */
export function dealOf(values: Values): Schemas['TotalCostInput'] {
  return {
    package_contents: partsOf(values).map(({ id, quantity, price, is_displayable }) => ({
      id,
      quantity: whole(quantity),
      ...(money(price) ? { price: money(price) } : {}),
      is_displayable,
    })),
    ...(money(values.fixed_cost) ? { fixed_cost: money(values.fixed_cost) } : {}),
    ...(values.discount_percent?.trim() ? { discount_percent: fractionOf(values.discount_percent) } : {}),
  };
}

export function bodyOf(values: Values, was: Values): Schemas['PackageInput'] {
  const deal = dealOf(values);
  const differs = (name: string) => (values[name] ?? '') !== (was[name] ?? '');
  return {
    translations: textsOf(values.translations ?? ''),
    type: values.type as Schemas['PackageType'],
    ...(values.network_id ? { network_id: Number(values.network_id) } : {}),
    service_type_id: Number(values.service_type_id) || null,
    is_enabled: values.is_enabled === 'yes',
    restricted_access: values.restricted_access === 'yes',
    ...(differs('sync') ? { sync: values.sync === 'yes' } : {}),
    fixed_cost: deal.fixed_cost ?? null,
    discount_percent: deal.discount_percent ?? '0',
    slug: values.slug?.trim() || null,
    buy_page_url: values.buy_page_url?.trim() || null,
    ...(differs('package_contents') ? { package_contents: deal.package_contents } : {}),
    ...confirmation(values),
    ...(was.updated_at ? { updated_at: was.updated_at } : {}),
  } as Schemas['PackageInput'];
}
