// The service editor as data: its parts, their fields, and how a form's values become the body of a change. Pure.
import type { Schemas } from '@/api/client';
import { fractionOf, percentOf } from '@/ui/fraction';
import { textsOf } from '@/ui/texts';

type Service = Schemas['Service'];
type Input = Schemas['ServiceInput'];
export type Values = Record<string, string>;

/** What a field holds; `clears` means that an empty one is sent as null. */
export type Mode = 'text' | 'long' | 'whole' | 'money' | 'decimal' | 'percent' | 'tick' | 'choice';

export interface ServiceField {
  name: keyof Input & keyof Service;
  mode: Mode;
  /** Whether it may be empty. */
  clears?: true;
  hint?: true;
  /** What only panels of this product say. */
  ownKind?: true;
}

const field = (name: ServiceField['name'], mode: Mode, more: Partial<ServiceField> = {}): ServiceField => ({
  name,
  mode,
  ...more,
});
const ticks = (...names: ServiceField['name'][]) => names.map((name) => field(name, 'tick'));
const ownKindTicks = (...names: ServiceField['name'][]) => names.map((name) => field(name, 'tick', { ownKind: true }));
const clears = { clears: true } as const;
const hinted = { clears: true, hint: true } as const;

export const TEXTS = [
  'name',
  'short_description',
  'description',
  'speed',
  'geo',
  'start_time',
  'guarantee',
  'requirements',
  'example_link',
  'reviews',
  'meta_title',
  'meta_description',
] as const;

/** Parts whose form is nothing but fields. Their texts stand under `services.parts`, those of fields under `services.fields`. */
export const PARTS = [
  {
    name: 'general',
    fields: [
      field('admin_note', 'long', clears),
      field('slug', 'text', hinted),
      field('buy_page_url', 'text', clears),
      field('panel_service_type', 'choice', { hint: true }),
      field('full_description_location', 'choice'),
      ...ticks('is_enabled', 'is_deactivated', 'api_access', 'restricted_access', 'moderation_is_enabled'),
      ...ticks('url_is_required', 'forbids_orders_with_same_url'),
    ],
  },
  {
    name: 'prices',
    fields: [
      field('default_price', 'money'),
      field('min_price', 'money', { hint: true }),
      field('pricing_per', 'whole'),
      field('min_quantity', 'whole'),
      field('max_quantity', 'whole'),
      field('quantity_step', 'whole'),
      field('default_quantity_for_order_widget', 'whole', clears),
      field('budget_multiplier', 'decimal', clears),
      field('resale_margin_percent', 'percent', clears),
      ...ticks('calculable_quantity', 'no_refund'),
    ],
  },
  {
    name: 'delivery',
    fields: [
      field('order_quantity_ratio', 'decimal', hinted),
      field('live_stream_support_minutes', 'whole', clears),
      field('live_stream_retention_quantity_multiplier', 'decimal', clears),
      ...ticks('drip_feed_is_allowed', 'can_speedup', 'cancel_by_client_is_allowed', 'auto_cancel'),
      ...ticks('gather_statistic', 'real_counter_complete_is_enabled'),
    ],
  },
  {
    name: 'refill',
    fields: [
      ...ticks('has_refill', 'auto_refill_is_allowed'),
      field('auto_refill_after_hours', 'whole', clears),
      field('auto_refill_once_fill_percent', 'percent', clears),
      field('auto_refill_min_drop_percent', 'percent', clears),
      field('auto_refill_max_drop_percent', 'percent', clears),
      field('auto_refill_max_total_refilled_percent', 'percent', clears),
    ],
  },
  {
    name: 'sync',
    fields: [
      ...ticks('sync_prices', 'sync_name', 'sync_service_details', 'sync_description_field', 'sync_params'),
      ...ownKindTicks('sync_short_description', 'sync_labels', 'sync_meta', 'sync_reviews'),
    ],
  },
] as const satisfies readonly { name: string; fields: readonly ServiceField[] }[];

/** A target of a service, as the editor has it. */
export interface AskedTarget {
  id: number;
  name: string;
  kind: Schemas['TargetAttachmentType'];
  values: string[];
}

/** The targets of a form's values, in their order. */
export const targetsOf = (values: Values): AskedTarget[] => JSON.parse(values.targets || '[]');

function askedBy(service: Service): AskedTarget[] {
  return service.targets.map(({ id, name }) => ({
    id,
    name,
    kind: service.target_attachments.find((one) => one.target_id === id)?.type ?? 'required',
    values: service.targetable_values.find((one) => one.target_id === id)?.values ?? [],
  }));
}

/** Types that the reseller API can sell a service as, in its own words. */
export const PANEL_SERVICE_TYPES = [
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

export const FIELDS: readonly ServiceField[] = PARTS.flatMap((part): readonly ServiceField[] => part.fields);

/** A new service begins like this. */
export const NEW: Values = {
  is_enabled: 'yes',
  api_access: 'yes',
  url_is_required: 'yes',
  quantity_step: '1',
  pricing_per: '1000',
  min_price: '0',
  full_description_location: 'footer',
  panel_service_type: 'Default',
};

const shown = (mode: Mode, value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (mode === 'tick') return value ? 'yes' : '';
  return mode === 'percent' ? percentOf(String(value)) : String(value);
};

/** A service as values of the form. */
export function valuesOf(service: Service): Values {
  return {
    ...Object.fromEntries(FIELDS.map(({ name, mode }) => [name, shown(mode, service[name])])),
    translations: JSON.stringify(service.translations),
    service_type_id: String(service.service_type.id),
    labels: service.labels.join(','),
    providers: service.providers.map(({ id }) => id).join(','),
    countries: service.countries.join(','),
    promotable_checker_group_id: shown('whole', service.promotable_checker_group_id),
    targets: JSON.stringify(askedBy(service)),
  };
}

function sent({ mode, clears }: ServiceField, value: string): unknown {
  const text = value.trim();
  if (mode === 'tick') return value === 'yes';
  if (text === '') return clears ? null : undefined;
  if (mode === 'whole') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (mode === 'percent') return fractionOf(text);
  return mode === 'money' || mode === 'decimal' ? text.replace(',', '.') : text;
}

const list = (text: string) => text.split(',').filter(Boolean);

/** The body of a change: what differs between `was` and `now`, as the wire has it. */
export function bodyOf(was: Values, now: Values): Input {
  const body: Record<string, unknown> = {};
  const differs = (name: string) => (was[name] ?? '') !== (now[name] ?? '');
  for (const field of FIELDS) {
    if (differs(field.name)) body[field.name] = sent(field, now[field.name] ?? '');
  }
  if (differs('service_type_id')) body.service_type_id = Number(now.service_type_id);
  for (const name of ['labels', 'providers']) if (differs(name)) body[name] = list(now[name] ?? '').map(Number);
  if (differs('promotable_checker_group_id'))
    body.promotable_checker_group_id = Number(now.promotable_checker_group_id) || null;
  if (differs('targets')) {
    const asked = targetsOf(now);
    body.targets = asked.map(({ id }) => id);
    body.targetable_values = asked.map(({ id, values }) => ({ target_id: id, values }));
    body.target_attachments = asked.map(({ id, kind }) => ({ target_id: id, type: kind }));
  }
  if (differs('countries')) body.countries = list(now.countries ?? '');
  if (differs('translations')) body.translations = textsOf(now.translations ?? '');
  return body as Input;
}
