// The fields of the service editor, their sections, and the conversion between form values and request bodies. This module must not
// call the server.
import type { Schemas } from '@/api/client';
import { DescriptionLocation, PanelServiceType } from '@/api/enums';
import { type Codec, omitIfEmpty } from '@/form/codec';
import {
  checkbox,
  choice,
  commaList,
  confirmation,
  fractionAsPercent,
  id,
  ids,
  money,
  parseRows,
  quantity,
  ratio,
  rows,
  texts,
  trimmedOrNull,
} from '@/form/codecs';
import { defineForm, type FormValues } from '@/form/spec';

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

/** For a field that every service must have: if the user empties it, it counts as unchanged and is not sent. */
const required = <Sent>(codec: Codec<Sent | null>): Codec<Sent | undefined> => ({
  ...omitIfEmpty(codec),
  equal: (value, base) => value.trim() === '' || codec.equal(value, base),
});

/** A target of a service in the editor. */
export interface ServiceTarget {
  id: number;
  name: string;
  kind: Schemas['TargetAttachmentType'];
  values: string[];
}

const targetRows = rows<number, ServiceTarget>(
  ({ id }) => id,
  (target) => target,
);

export const SERVICE_FORM = defineForm<Input>()({
  translations: texts,
  service_type_id: id,
  labels: ids,
  providers: ids,
  countries: commaList,
  targets: targetRows,
  promotable_checker_group_id: id,
  admin_note: { ...trimmedOrNull, mode: 'multiline' },
  slug: trimmedOrNull,
  buy_page_url: trimmedOrNull,
  panel_service_type: choice(PanelServiceType),
  full_description_location: choice(DescriptionLocation),
  is_enabled: checkbox,
  is_deactivated: checkbox,
  api_access: checkbox,
  restricted_access: checkbox,
  moderation_is_enabled: checkbox,
  url_is_required: checkbox,
  forbids_orders_with_same_url: checkbox,
  default_price: required(money),
  min_price: required(money),
  pricing_per: required(quantity),
  min_quantity: required(quantity),
  max_quantity: required(quantity),
  quantity_step: required(quantity),
  default_quantity_for_order_widget: quantity,
  budget_multiplier: ratio,
  resale_margin_fraction: fractionAsPercent,
  calculable_quantity: checkbox,
  no_refund: checkbox,
  order_quantity_ratio: ratio,
  live_stream_support_minutes: quantity,
  live_stream_retention_quantity_multiplier: ratio,
  drip_feed_is_allowed: checkbox,
  can_speedup: checkbox,
  cancel_by_client_is_allowed: checkbox,
  auto_cancel: checkbox,
  gather_statistic: checkbox,
  real_counter_complete_is_enabled: checkbox,
  has_refill: checkbox,
  auto_refill_is_allowed: checkbox,
  auto_refill_after_hours: quantity,
  auto_refill_once_fill_fraction: fractionAsPercent,
  auto_refill_min_drop_fraction: fractionAsPercent,
  auto_refill_max_drop_fraction: fractionAsPercent,
  auto_refill_max_total_refilled_fraction: fractionAsPercent,
  sync_prices: checkbox,
  sync_name: checkbox,
  sync_service_details: checkbox,
  sync_description_field: checkbox,
  sync_params: checkbox,
  sync_short_description: checkbox,
  sync_labels: checkbox,
  sync_meta: checkbox,
  sync_reviews: checkbox,
  confirm_below_margin: confirmation,
});

/**
 * The sections of fields with a declared control. Titles are under the i18n key `services.parts`, labels under `services.fields`.
 */
export const SECTIONS = [
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
      'resale_margin_fraction',
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
      'auto_refill_once_fill_fraction',
      'auto_refill_min_drop_fraction',
      'auto_refill_max_drop_fraction',
      'auto_refill_max_total_refilled_fraction',
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

export type FieldName = (typeof SECTIONS)[number]['fields'][number];

/** These fields work only with external panels that run this software, because others do not send the data. */
export const SAME_SOFTWARE_FIELDS: readonly FieldName[] = [
  'sync_short_description',
  'sync_labels',
  'sync_meta',
  'sync_reviews',
];

const FIELDS: readonly FieldName[] = SECTIONS.flatMap(({ fields }): readonly FieldName[] => fields);

/** The changes of the bulk action that enables or disables settings. */
export type ServiceSwitches = Omit<Schemas['BulkService'], 'id'>;

/** The fields that have a checkbox in the editor. */
export const SWITCHES = FIELDS.filter(
  (name): name is FieldName & keyof ServiceSwitches => SERVICE_FORM.codecs[name]?.mode === 'checkbox',
);

/** The form values of a new service. */
export const NEW_SERVICE: FormValues = {
  is_enabled: 'yes',
  api_access: 'yes',
  url_is_required: 'yes',
  quantity_step: '1',
  pricing_per: '1000',
  min_price: '0',
  full_description_location: 'footer',
  panel_service_type: 'Default',
};

export const targetsOf = (values: FormValues) => parseRows<ServiceTarget>(values.targets);

function toServiceTargets(service: Service): ServiceTarget[] {
  return service.targets.map(({ id, name }) => ({
    id,
    name,
    kind: service.target_attachments.find(({ target_id }) => target_id === id)?.type ?? 'required',
    values: service.targetable_values.find(({ target_id }) => target_id === id)?.values ?? [],
  }));
}

/** Converts a service to form values. */
export const valuesOf = (service: Service): FormValues =>
  SERVICE_FORM.toValues({
    ...service,
    service_type_id: service.service_type.id,
    providers: service.providers.map(({ id }) => id),
    targets: toServiceTargets(service),
  });

/** Builds the request body from the fields that differ from `base`. For a new service `base` is null. */
export function bodyOf(base: FormValues | null, values: FormValues): Input {
  const changes: Input = base ? SERVICE_FORM.toPatch(values, base) : SERVICE_FORM.toCreateBody(values);
  if (!('targets' in changes)) return changes;
  const targets = targetsOf(values);
  return {
    ...changes,
    targetable_values: targets.map(({ id, values }) => ({ target_id: id, values })),
    target_attachments: targets.map(({ id, kind }) => ({ target_id: id, type: kind })),
  };
}
