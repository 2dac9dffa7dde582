// The service editor as data: its fields, the parts that they stand in, and how a form's values become the body of a change. Pure.
import type { Schemas } from '@/api/client';
import { DescriptionLocation, PanelServiceType } from '@/api/words';
import { type Codec, unlessEmpty } from '@/form/codec';
import {
  choice,
  confirmation,
  factor,
  id,
  ids,
  money,
  percent,
  quantity,
  rows,
  rowsIn,
  texts,
  tick,
  trimmedOrNull,
  words,
} from '@/form/codecs';
import { type FormValues, formOf } from '@/form/spec';

type Service = Schemas['Service'];
type Input = Schemas['ServiceInput'];

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

/** What a service always has: an emptied field says nothing, so it is no change. */
const required = <Sent>(codec: Codec<Sent | null>): Codec<Sent | undefined> => ({
  ...unlessEmpty(codec),
  equal: (now, before) => now.trim() === '' || codec.equal(now, before),
});

/** A target of a service, as the editor has it. */
export interface AskedTarget {
  id: number;
  name: string;
  kind: Schemas['TargetAttachmentType'];
  values: string[];
}

const targets = rows<number, AskedTarget>(
  ({ id }) => id,
  (target) => target,
);

export const SERVICE = formOf<Input>()({
  translations: texts,
  service_type_id: id,
  labels: ids,
  providers: ids,
  countries: words,
  targets,
  promotable_checker_group_id: id,
  admin_note: { ...trimmedOrNull, mode: 'long' },
  slug: trimmedOrNull,
  buy_page_url: trimmedOrNull,
  panel_service_type: choice(PanelServiceType),
  full_description_location: choice(DescriptionLocation),
  is_enabled: tick,
  is_deactivated: tick,
  api_access: tick,
  restricted_access: tick,
  moderation_is_enabled: tick,
  url_is_required: tick,
  forbids_orders_with_same_url: tick,
  default_price: required(money),
  min_price: required(money),
  pricing_per: required(quantity),
  min_quantity: required(quantity),
  max_quantity: required(quantity),
  quantity_step: required(quantity),
  default_quantity_for_order_widget: quantity,
  budget_multiplier: factor,
  resale_margin_percent: percent,
  calculable_quantity: tick,
  no_refund: tick,
  order_quantity_ratio: factor,
  live_stream_support_minutes: quantity,
  live_stream_retention_quantity_multiplier: factor,
  drip_feed_is_allowed: tick,
  can_speedup: tick,
  cancel_by_client_is_allowed: tick,
  auto_cancel: tick,
  gather_statistic: tick,
  real_counter_complete_is_enabled: tick,
  has_refill: tick,
  auto_refill_is_allowed: tick,
  auto_refill_after_hours: quantity,
  auto_refill_once_fill_percent: percent,
  auto_refill_min_drop_percent: percent,
  auto_refill_max_drop_percent: percent,
  auto_refill_max_total_refilled_percent: percent,
  sync_prices: tick,
  sync_name: tick,
  sync_service_details: tick,
  sync_description_field: tick,
  sync_params: tick,
  sync_short_description: tick,
  sync_labels: tick,
  sync_meta: tick,
  sync_reviews: tick,
  confirm_below_margin: confirmation,
});

/** Parts whose form is nothing but fields. Their texts stand under `services.parts`, those of fields under `services.fields`. */
export const PARTS = [
  {
    name: 'general',
    fields: [
      'admin_note',
      'slug',
      'buy_page_url',
      'panel_service_type',
      'full_description_location',
      'is_enabled',
      'is_deactivated',
      'api_access',
      'restricted_access',
      'moderation_is_enabled',
      'url_is_required',
      'forbids_orders_with_same_url',
    ],
  },
  {
    name: 'prices',
    fields: [
      'default_price',
      'min_price',
      'pricing_per',
      'min_quantity',
      'max_quantity',
      'quantity_step',
      'default_quantity_for_order_widget',
      'budget_multiplier',
      'resale_margin_percent',
      'calculable_quantity',
      'no_refund',
    ],
  },
  {
    name: 'delivery',
    fields: [
      'order_quantity_ratio',
      'live_stream_support_minutes',
      'live_stream_retention_quantity_multiplier',
      'drip_feed_is_allowed',
      'can_speedup',
      'cancel_by_client_is_allowed',
      'auto_cancel',
      'gather_statistic',
      'real_counter_complete_is_enabled',
    ],
  },
  {
    name: 'refill',
    fields: [
      'has_refill',
      'auto_refill_is_allowed',
      'auto_refill_after_hours',
      'auto_refill_once_fill_percent',
      'auto_refill_min_drop_percent',
      'auto_refill_max_drop_percent',
      'auto_refill_max_total_refilled_percent',
    ],
  },
  {
    name: 'sync',
    fields: [
      'sync_prices',
      'sync_name',
      'sync_service_details',
      'sync_description_field',
      'sync_params',
      'sync_short_description',
      'sync_labels',
      'sync_meta',
      'sync_reviews',
    ],
  },
] as const satisfies readonly { name: string; fields: readonly (keyof Input & keyof Service)[] }[];

export type FieldName = (typeof PARTS)[number]['fields'][number];

/** What only panels of this product say. */
export const OF_OWN_KIND: readonly FieldName[] = ['sync_short_description', 'sync_labels', 'sync_meta', 'sync_reviews'];

const FIELDS: readonly FieldName[] = PARTS.flatMap(({ fields }): readonly FieldName[] => fields);

/** What many services can be switched to at once. */
export type ServiceSwitches = Omit<Schemas['BulkService'], 'id'>;

/** Fields that are on or off. */
export const SWITCHES = FIELDS.filter(
  (name): name is FieldName & keyof ServiceSwitches => SERVICE.codecs[name]?.mode === 'tick',
);

/** A new service begins like this. */
export const NEW: FormValues = {
  is_enabled: 'yes',
  api_access: 'yes',
  url_is_required: 'yes',
  quantity_step: '1',
  pricing_per: '1000',
  min_price: '0',
  full_description_location: 'footer',
  panel_service_type: 'Default',
};

/** The targets of a form's values, in their order. */
export const targetsOf = (values: FormValues) => rowsIn<AskedTarget>(values.targets);

function askedBy(service: Service): AskedTarget[] {
  return service.targets.map(({ id, name }) => ({
    id,
    name,
    kind: service.target_attachments.find((one) => one.target_id === id)?.type ?? 'required',
    values: service.targetable_values.find((one) => one.target_id === id)?.values ?? [],
  }));
}

/** A service as values of the form. */
export const valuesOf = (service: Service): FormValues =>
  SERVICE.valuesOf({
    ...service,
    service_type_id: service.service_type.id,
    providers: service.providers.map(({ id }) => id),
    targets: askedBy(service),
  });

/** The body of a call as the wire has it: what differs between `base` and `now`; a new service has no `base`. */
export function bodyOf(base: FormValues | null, now: FormValues): Input {
  const changes: Input = base ? SERVICE.changesOf(now, base) : SERVICE.newOf(now);
  if (!('targets' in changes)) return changes;
  const asked = targetsOf(now);
  return {
    ...changes,
    targetable_values: asked.map(({ id, values }) => ({ target_id: id, values })),
    target_attachments: asked.map(({ id, kind }) => ({ target_id: id, type: kind })),
  };
}
