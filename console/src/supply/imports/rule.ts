// The rule by which new services of a panel are imported by themselves, as a form holds it and as it is sent. No drawing here.
import type { Schemas } from '@/api/client';
import { PanelServiceType } from '@/api/words';
import { type Codec, unlessEmpty } from '@/form/codec';
import { id, lines, money, percent, tick, trimmedOrNull, wordsOf } from '@/form/codecs';
import { formOf } from '@/form/spec';

export type ImportRule = Schemas['ImportRule'];

/** Types that can be imported. */
export const TYPES = PanelServiceType.filter((type) => type !== 'Subscriptions');

/** Nothing is chosen: a word, as a menu shows no label of an empty value. */
export const NONE = 'none';

/** A record that is chosen, or none. */
const chosen: Codec<number | undefined, number> = { ...unlessEmpty(id), format: (value) => id.format(value) || NONE };

/** What follows the panel, does, or does not. */
const follows: Codec<boolean | undefined, boolean> = {
  format: (on) => (on === true ? 'on' : on === false ? 'off' : NONE),
  parse: (text) => (text === NONE ? undefined : text === 'on'),
  equal: (a, b) => a === b,
};

const typed = unlessEmpty(trimmedOrNull);
const price = unlessEmpty(money);

/** What is empty is left out: the rule is sent as a whole. */
export const RULE = formOf<Schemas['ImportRuleInput']>()({
  is_enabled: tick,
  keep_categories: tick,
  margin_percent: unlessEmpty(percent),
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
  types: wordsOf(TYPES),
  name_contains: typed,
  name_excludes: typed,
  price_from: price,
  price_to: price,
});
