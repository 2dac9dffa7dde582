// The form specification of an import rule. The rule selects the new services that each sync imports from an external panel.
import type { Schemas } from '@/api/client';
import { PanelServiceType } from '@/api/enums';
import { type Codec, omitIfEmpty } from '@/form/codec';
import {
  checkboxCodec,
  enumListCodec,
  fractionAsPercentCodec,
  idCodec,
  linesCodec,
  moneyCodec,
  trimmedTextOrNullCodec,
} from '@/form/codecs';
import { defineForm } from '@/form/spec';

export type ImportRule = Schemas['ImportRule'];

/** The types of external panel services that the server can import. */
export const IMPORTABLE_TYPES = PanelServiceType.filter((type) => type !== 'Subscriptions');

/**
 * The value of the select option "no value". It is not an empty string, because the select shows no label for an empty string.
 */
export const UNSET = 'none';

const recordIdOrUnset: Codec<number | undefined, number> = {
  ...omitIfEmpty(idCodec),
  format: (value) => idCodec.format(value) || UNSET,
};

/** A sync flag of the imported services: on, off, or unset. If the flag is unset, the flag of the external panel applies. */
const flagOrUnset: Codec<boolean | undefined, boolean> = {
  format: (isOn) => (isOn === true ? 'on' : isOn === false ? 'off' : UNSET),
  parse: (text) => (text === UNSET ? undefined : text === 'on'),
  isEqual: (a, b) => a === b,
};

const textOrUnset = omitIfEmpty(trimmedTextOrNullCodec);
const moneyOrUnset = omitIfEmpty(moneyCodec);

/** The request body contains no empty fields. The request replaces the whole rule, so the server clears omitted fields. */
export const IMPORT_RULE_FORM = defineForm<Schemas['ImportRuleInput']>()({
  is_enabled: checkboxCodec,
  keep_categories: checkboxCodec,
  margin_fraction: omitIfEmpty(fractionAsPercentCodec),
  network_id: recordIdOrUnset,
  service_type_id: recordIdOrUnset,
  promotable_checker_group_id: recordIdOrUnset,
  sync_prices: flagOrUnset,
  sync_name: flagOrUnset,
  sync_params: flagOrUnset,
  sync_service_details: flagOrUnset,
  sync_description_field: flagOrUnset,
  sync_short_description: flagOrUnset,
  sync_labels: flagOrUnset,
  sync_meta: flagOrUnset,
  sync_reviews: flagOrUnset,
  categories: linesCodec,
  types: enumListCodec(IMPORTABLE_TYPES),
  name_contains: textOrUnset,
  name_excludes: textOrUnset,
  price_from: moneyOrUnset,
  price_to: moneyOrUnset,
});
