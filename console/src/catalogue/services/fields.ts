// The fields of the service editor, their sections, and the conversion between form values and request bodies. This module must not
// send requests.
import type { Schemas } from '@/api/client';
import { DescriptionLocation, PanelServiceType } from '@/api/enums';
import { type Codec, omitIfEmpty } from '@/form/codec';
import {
  checkboxCodec,
  commaListCodec,
  confirmationCodec,
  enumCodec,
  fractionAsPercentCodec,
  idCodec,
  idListCodec,
  moneyCodec,
  parseRows,
  quantityCodec,
  ratioCodec,
  rowsCodec,
  translationsCodec,
  trimmedTextOrNullCodec,
} from '@/form/codecs';
import { defineForm, type FormValues } from '@/form/spec';

type Service = Schemas['Service'];
type ServiceInput = Schemas['ServiceInput'];

export const TEXT_NAMES = [
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

/** The codec of a field that every service must have. A field that the user has emptied counts as unchanged, so it is not sent. */
const requiredCodec = <Sent>(codec: Codec<Sent | null>): Codec<Sent | undefined> => ({
  ...omitIfEmpty(codec),
  isEqual: (value, base) => value.trim() === '' || codec.isEqual(value, base),
});

/** A target of a service in the editor. */
export interface ServiceTarget {
  id: number;
  name: string;
  kind: Schemas['TargetAttachmentType'];
  values: string[];
}

const targetsCodec = rowsCodec<number, ServiceTarget>(
  ({ id }) => id,
  (target) => target,
);

export const SERVICE_FORM = defineForm<ServiceInput>()({
  translations: translationsCodec,
  service_type_id: idCodec,
  labels: idListCodec,
  providers: idListCodec,
  countries: commaListCodec,
  targets: targetsCodec,
  promotable_checker_group_id: idCodec,
  admin_note: { ...trimmedTextOrNullCodec, mode: 'multiline' },
  slug: trimmedTextOrNullCodec,
  buy_page_url: trimmedTextOrNullCodec,
  panel_service_type: enumCodec(PanelServiceType),
  full_description_location: enumCodec(DescriptionLocation),
  is_enabled: checkboxCodec,
  is_deactivated: checkboxCodec,
  api_access: checkboxCodec,
  restricted_access: checkboxCodec,
  moderation_is_enabled: checkboxCodec,
  url_is_required: checkboxCodec,
  forbids_orders_with_same_url: checkboxCodec,
  default_price: requiredCodec(moneyCodec),
  min_price: requiredCodec(moneyCodec),
  pricing_per: requiredCodec(quantityCodec),
  min_quantity: requiredCodec(quantityCodec),
  max_quantity: requiredCodec(quantityCodec),
  quantity_step: requiredCodec(quantityCodec),
  default_quantity_for_order_widget: quantityCodec,
  budget_multiplier: ratioCodec,
  resale_margin_fraction: fractionAsPercentCodec,
  calculable_quantity: checkboxCodec,
  no_refund: checkboxCodec,
  order_quantity_ratio: ratioCodec,
  live_stream_support_minutes: quantityCodec,
  live_stream_retention_quantity_multiplier: ratioCodec,
  drip_feed_is_allowed: checkboxCodec,
  can_speedup: checkboxCodec,
  cancel_by_client_is_allowed: checkboxCodec,
  auto_cancel: checkboxCodec,
  gather_statistic: checkboxCodec,
  real_counter_complete_is_enabled: checkboxCodec,
  has_refill: checkboxCodec,
  auto_refill_is_allowed: checkboxCodec,
  auto_refill_after_hours: quantityCodec,
  auto_refill_once_fill_fraction: fractionAsPercentCodec,
  auto_refill_min_drop_fraction: fractionAsPercentCodec,
  auto_refill_max_drop_fraction: fractionAsPercentCodec,
  auto_refill_max_total_refilled_fraction: fractionAsPercentCodec,
  sync_prices: checkboxCodec,
  sync_name: checkboxCodec,
  sync_service_details: checkboxCodec,
  sync_description_field: checkboxCodec,
  sync_params: checkboxCodec,
  sync_short_description: checkboxCodec,
  sync_labels: checkboxCodec,
  sync_meta: checkboxCodec,
  sync_reviews: checkboxCodec,
  confirm_below_margin: confirmationCodec,
});

/**
 * The sections of the fields that `SectionFields` renders. The i18n keys of their titles are below `services.sections`, and the keys of
 * their labels below `services.fields`.
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
] as const satisfies readonly { name: string; fields: readonly (keyof ServiceInput & keyof Service)[] }[];

export type FieldName = (typeof SECTIONS)[number]['fields'][number];

/** Fields that work only with external panels of the same software, because other external panels do not send the data. */
export const SAME_SOFTWARE_FIELDS: readonly FieldName[] = [
  'sync_short_description',
  'sync_labels',
  'sync_meta',
  'sync_reviews',
];

const ALL_FIELDS: readonly FieldName[] = SECTIONS.flatMap(({ fields }): readonly FieldName[] => fields);

/** The changes of the bulk action that enables or disables settings. */
export type ServiceSwitches = Omit<Schemas['BulkService'], 'id'>;

/** The fields that the editor shows as a checkbox. */
export const SWITCH_FIELDS = ALL_FIELDS.filter(
  (name): name is FieldName & keyof ServiceSwitches => SERVICE_FORM.codecs[name]?.mode === 'checkbox',
);

/** The form values of a new service. */
export const NEW_SERVICE_VALUES: FormValues = {
  is_enabled: 'yes',
  api_access: 'yes',
  url_is_required: 'yes',
  quantity_step: '1',
  pricing_per: '1000',
  min_price: '0',
  full_description_location: 'footer',
  panel_service_type: 'Default',
};

export const parseTargets = (values: FormValues) => parseRows<ServiceTarget>(values.targets);

function toServiceTargets(service: Service): ServiceTarget[] {
  return service.targets.map(({ id, name }) => ({
    id,
    name,
    kind: service.target_attachments.find(({ target_id }) => target_id === id)?.type ?? 'required',
    values: service.targetable_values.find(({ target_id }) => target_id === id)?.values ?? [],
  }));
}

/** Converts a service to form values. */
export const toServiceFormValues = (service: Service): FormValues =>
  SERVICE_FORM.toValues({
    ...service,
    service_type_id: service.service_type.id,
    providers: service.providers.map(({ id }) => id),
    targets: toServiceTargets(service),
  });

/** Builds the request body from the fields that differ from `base`. `base` is null for a new service. */
export function buildServiceBody(base: FormValues | null, values: FormValues): ServiceInput {
  const changes: ServiceInput = base ? SERVICE_FORM.toPatch(values, base) : SERVICE_FORM.toCreateBody(values);
  if (!('targets' in changes)) return changes;
  const targets = parseTargets(values);
  return {
    ...changes,
    targetable_values: targets.map(({ id, values }) => ({ target_id: id, values })),
    target_attachments: targets.map(({ id, kind }) => ({ target_id: id, type: kind })),
  };
}
