// The rule by which new services of a panel are imported by themselves, as a form holds it and as it is sent. No drawing here.
import type { Schemas } from '@/api/client';
import { fractionOf, percentOf } from '@/ui/fraction';
import type { Values } from '@/ui/useForm';
import { FLAGS } from './lines';

export type ImportRule = Schemas['ImportRule'];
export type ImportRuleInput = Schemas['ImportRuleInput'];

/** Types that can be imported. */
export const TYPES = [
  'Default',
  'Package',
  'Custom Comments',
  'Custom Comments Package',
  'Comment Likes',
  'Comment Replies',
  'Mentions',
  'Mentions with Hashtags',
  'Mentions Custom List',
  'Mentions Hashtag',
  'Mentions User Followers',
  'Mentions Media Likers',
  'Poll',
  'Invites from Groups',
  'SEO',
  'Web Traffic',
] as const satisfies readonly Schemas['PanelServiceType'][];

/** Nothing is chosen: a word, as a menu shows no label of an empty value. */
export const NONE = 'none';

const IDS = ['network_id', 'service_type_id', 'promotable_checker_group_id'] as const;
const TEXTS = ['name_contains', 'name_excludes'] as const;
const PRICES = ['price_from', 'price_to'] as const;

/** Whether a person types it: such a text may be any word. */
const isTyped = (name: string) => ![...IDS, ...FLAGS].some((one) => one === name);

/** What the form starts with. */
export function valuesOf(rule: ImportRule): Values {
  const tick = (on: boolean | null | undefined) => (on === true ? 'on' : on === false ? 'off' : NONE);
  return {
    is_enabled: rule.is_enabled ? 'yes' : '',
    keep_categories: rule.keep_categories ? 'yes' : '',
    margin_percent: rule.margin_percent ? percentOf(rule.margin_percent) : '',
    ...Object.fromEntries(IDS.map((name) => [name, rule[name] ? String(rule[name]) : NONE])),
    ...Object.fromEntries(FLAGS.map((name) => [name, tick(rule[name])])),
    categories: rule.categories.join('\n'),
    types: rule.types.join('\n'),
    ...Object.fromEntries([...TEXTS, ...PRICES].map((name) => [name, rule[name] ?? ''])),
    updated_at: rule.updated_at ?? '',
  };
}

/** The whole rule as it is sent; what is empty is left out. */
export function inputOf(values: Values): ImportRuleInput {
  const of = (name: string) => (values[name] === NONE && !isTyped(name) ? '' : (values[name] ?? '').trim());
  const linesOf = (name: string) =>
    of(name)
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  const given = <T>(names: readonly string[], read: (text: string) => T) =>
    Object.fromEntries(names.flatMap((name) => (of(name) ? [[name, read(of(name))]] : [])));
  return {
    is_enabled: of('is_enabled') === 'yes',
    keep_categories: of('keep_categories') === 'yes',
    categories: linesOf('categories'),
    types: linesOf('types') as ImportRuleInput['types'],
    ...given(['margin_percent'], fractionOf),
    ...given(IDS, Number),
    ...given(FLAGS, (text) => text === 'on'),
    ...given(TEXTS, (text) => text),
    ...given(PRICES, (text) => text.replace(/\s/g, '').replace(',', '.')),
    ...given(['updated_at'], (text) => text),
  } as ImportRuleInput;
}
