// The form specification of a discount, including its services and their percentages.
import type { Schemas } from '@/api/client';
import { orDefault } from '@/form/codec';
import {
  checkboxCodec,
  commaListCodec,
  confirmationCodec,
  fractionAsPercentCodec,
  rowsCodec,
  textCodec,
  timeCodec,
} from '@/form/codecs';
import { defineForm } from '@/form/spec';

/** A service with its discount. `percent` is the input of the user: "5" means 5 %. */
export interface DiscountLine {
  id: number;
  name: string;
  percent: string;
}

const percentOrZeroCodec = orDefault(fractionAsPercentCodec, '0');

export const discountLinesCodec = rowsCodec<Schemas['DiscountServiceInput'], DiscountLine, Schemas['DiscountService']>(
  ({ id, percent }) => ({ id, discount_fraction: percentOrZeroCodec.parse(percent) }),
  ({ id, name, discount_fraction }) => ({ id, name, percent: percentOrZeroCodec.format(discount_fraction) }),
);

export const DISCOUNT_FORM = defineForm<Schemas['DiscountInput']>()({
  name: textCodec,
  valid_from: timeCodec,
  valid_to: timeCodec,
  countries: commaListCodec,
  is_countdown_enabled: checkboxCodec,
  services: discountLinesCodec,
  confirm_below_margin: confirmationCodec,
});
