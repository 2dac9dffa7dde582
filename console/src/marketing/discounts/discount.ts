// The form definition of a discount, including its services with a percentage each.
import type { Schemas } from '@/api/client';
import { orDefault } from '@/form/codec';
import { checkbox, commaList, confirmation, fractionAsPercent, rows, text, time } from '@/form/codecs';
import { defineForm } from '@/form/spec';

/** A service with its discount. `percent` is the text that the user typed: "5" means 5 %. */
export interface DiscountLine {
  id: number;
  name: string;
  percent: string;
}

const percentOrZero = orDefault(fractionAsPercent, '0');

export const discountLines = rows<Schemas['DiscountServiceInput'], DiscountLine, Schemas['DiscountService']>(
  ({ id, percent }) => ({ id, discount_fraction: percentOrZero.parse(percent) }),
  ({ id, name, discount_fraction }) => ({ id, name, percent: percentOrZero.format(discount_fraction) }),
);

export const DISCOUNT_FORM = defineForm<Schemas['DiscountInput']>()({
  name: text,
  valid_from: time,
  valid_to: time,
  countries: commaList,
  is_countdown_enabled: checkbox,
  services: discountLines,
  confirm_below_margin: confirmation,
});
