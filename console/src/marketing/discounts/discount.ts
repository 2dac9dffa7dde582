// A discount as its form holds it, and back: with its services, each with what is taken off.
import type { Schemas } from '@/api/client';
import { orDefault } from '@/form/codec';
import { checkbox, confirmation, percent, rows, text, time, words } from '@/form/codecs';
import { defineForm } from '@/form/spec';

/** A service of the discount, with the percentage as it is typed. */
export interface Line {
  id: number;
  name: string;
  percent: string;
}

const share = orDefault(percent, '0');

export const lines = rows<Schemas['DiscountServiceInput'], Line, Schemas['DiscountService']>(
  ({ id, percent }) => ({ id, discount_percent: share.parse(percent) }),
  ({ id, name, discount_percent }) => ({ id, name, percent: share.format(discount_percent) }),
);

export const DISCOUNT = defineForm<Schemas['DiscountInput']>()({
  name: text,
  valid_from: time,
  valid_to: time,
  countries: words,
  is_countdown_enabled: checkbox,
  services: lines,
  confirm_below_margin: confirmation,
});
