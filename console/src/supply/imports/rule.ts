// The rule by which new services of a panel are imported by themselves, as a form holds it and as it is sent. No drawing here.
import type { Schemas } from '@/api/client';
import { PanelServiceType } from '@/api/words';
import { type Codec, omitIfEmpty } from '@/form/codec';
import { checkbox, choices, id, lines, money, percent, trimmedOrNull } from '@/form/codecs';
import { defineForm } from '@/form/spec';

export type ImportRule = Schemas['ImportRule'];

/** Types that can be imported. */
export const TYPES = PanelServiceType.filter((type) => type !== 'Subscriptions');

/** Nothing is chosen: a word, as a menu shows no label of an empty value. */
export const NONE = 'none';

/** A record that is chosen, or none. */
const chosen: Codec<number | undefined, number> = { ...omitIfEmpty(id), format: (value) => id.format(value) || NONE };

/** What follows the panel, does, or does not. */
const follows: Codec<boolean | undefined, boolean> = {
  format: (on) => (on === true ? 'on' : on === false ? 'off' : NONE),
  parse: (text) => (text === NONE ? undefined : text === 'on'),
  equal: (a, b) => a === b,
};

const typed = omitIfEmpty(trimmedOrNull);
const price = omitIfEmpty(money);

/** What is empty is left out: the rule is sent as a whole. */
export const RULE = defineForm<Schemas['ImportRuleInput']>()({
  is_enabled: checkbox,
  keep_categories: checkbox,
  margin_percent: omitIfEmpty(percent),
  network_id: chosen,
  service_type_id: chosen,
  promotable_checker_group_id: chosen,
  sync_prices: follows,
  sync_name: follows,
  sync_params: follows,
  sync_service_details: follows,
  sync_description_field: follows,
  sync_short_description: follows,
  sync_labels: follows,
  sync_meta: follows,
  sync_reviews: follows,
  categories: lines,
  types: choices(TYPES),
  name_contains: typed,
  name_excludes: typed,
  price_from: price,
  price_to: price,
});
