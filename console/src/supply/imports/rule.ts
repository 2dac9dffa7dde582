// The form specification of an import rule: it selects the new services of a panel that each sync imports automatically.
import type { Schemas } from '@/api/client';
import { PanelServiceType } from '@/api/enums';
import { type Codec, omitIfEmpty } from '@/form/codec';
import { checkbox, choices, fractionAsPercent, id, lines, money, trimmedOrNull } from '@/form/codecs';
import { defineForm } from '@/form/spec';

export type ImportRule = Schemas['ImportRule'];

/** The service types of panels that the server can import. */
export const IMPORTABLE_TYPES = PanelServiceType.filter((type) => type !== 'Subscriptions');

/**
 * The option of a select that means "no value". It is not the empty text, because the select shows no label for an empty value.
 */
export const UNSET = 'none';

const recordIdOrUnset: Codec<number | undefined, number> = {
  ...omitIfEmpty(id),
  format: (value) => id.format(value) || UNSET,
};

/** A switch of the imported services: on, off, or unset. If it is unset, the switch of the panel applies. */
const switchOrUnset: Codec<boolean | undefined, boolean> = {
  format: (isOn) => (isOn === true ? 'on' : isOn === false ? 'off' : UNSET),
  parse: (text) => (text === UNSET ? undefined : text === 'on'),
  equal: (a, b) => a === b,
};

const textOrUnset = omitIfEmpty(trimmedOrNull);
const moneyOrUnset = omitIfEmpty(money);

/** The request body has no empty fields. The request replaces the whole rule, so that omitted fields are cleared. */
export const IMPORT_RULE_FORM = defineForm<Schemas['ImportRuleInput']>()({
  is_enabled: checkbox,
  keep_categories: checkbox,
  margin_fraction: omitIfEmpty(fractionAsPercent),
  network_id: recordIdOrUnset,
  service_type_id: recordIdOrUnset,
  promotable_checker_group_id: recordIdOrUnset,
  sync_prices: switchOrUnset,
  sync_name: switchOrUnset,
  sync_params: switchOrUnset,
  sync_service_details: switchOrUnset,
  sync_description_field: switchOrUnset,
  sync_short_description: switchOrUnset,
  sync_labels: switchOrUnset,
  sync_meta: switchOrUnset,
  sync_reviews: switchOrUnset,
  categories: lines,
  types: choices(IMPORTABLE_TYPES),
  name_contains: textOrUnset,
  name_excludes: textOrUnset,
  price_from: moneyOrUnset,
  price_to: moneyOrUnset,
});
