// Converts a payment method to form values, and form values to a request body that contains the changed fields.
import type { Schemas } from '@/api/client';
import { ChargeType, PaymentMethodType, PaymentStrategy } from '@/api/enums';
import { orDefault } from '@/form/codec';
import {
  checkboxCodec,
  enumCodec,
  fractionAsPercentCodec,
  imageCodec,
  moneyCodec,
  quantityCodec,
  textCodec,
  translationsCodec,
} from '@/form/codecs';
import { type AnyFormSpec, addPrefix, defineForm, type FormValues, removePrefix } from '@/form/spec';

type PaymentMethod = Schemas['PaymentMethod'];
type MethodInput = Schemas['PaymentMethodInput'];

const GENERAL_FORM = defineForm<MethodInput>()({
  translations: translationsCodec,
  type: enumCodec(PaymentMethodType),
  strategy: enumCodec(PaymentStrategy),
  charge_type: enumCodec(ChargeType),
  charge_currency: textCodec,
  fee_fraction: orDefault(fractionAsPercentCodec, '0'),
  min_amount: orDefault(moneyCodec, '0'),
  max_amount: moneyCodec,
  position: orDefault(quantityCodec, 0),
  is_allowed_for_new_user: checkboxCodec,
  icon: imageCodec,
  allow_qr_code: checkboxCodec,
  payment_qr_code: imageCodec,
});
const WITHDRAWAL_FORM = defineForm<Schemas['WithdrawalOptions']>()({
  available_for_withdrawal: checkboxCodec,
  min_amount: orDefault(moneyCodec, '0'),
  max_amount: moneyCodec,
  min_fee: orDefault(moneyCodec, '0'),
  fee_fraction: orDefault(fractionAsPercentCodec, '0'),
});
const PUBLIC_FIELDS_FORM = defineForm<Schemas['PublicFields']>()({
  is_user_comment: checkboxCodec,
  qr_code: checkboxCodec,
});

export const METHOD_SPEC: AnyFormSpec = {
  codecs: {
    ...GENERAL_FORM.codecs,
    ...addPrefix('withdrawal_options', WITHDRAWAL_FORM.codecs),
    ...addPrefix('public_fields', PUBLIC_FIELDS_FORM.codecs),
  },
};

const NEW_METHOD_VALUES: FormValues = {
  translations: '{}',
  type: 'card',
  strategy: 'manual',
  charge_type: 'on_top',
  charge_currency: 'USD',
  is_allowed_for_new_user: 'yes',
};

/** Returns the values of the method, or the default values of a new method. */
export function toFormValues(method: PaymentMethod | null): FormValues {
  if (!method) return NEW_METHOD_VALUES;
  const { withdrawal_options: withdrawal, public_fields } = method;
  return {
    ...GENERAL_FORM.toValues({ ...method, translations: omitEmptyTexts(method.translations) }),
    ...addPrefix('public_fields', PUBLIC_FIELDS_FORM.toValues(public_fields)),
    ...addPrefix(
      'withdrawal_options',
      WITHDRAWAL_FORM.toValues({ ...withdrawal, fee_fraction: withdrawal.fee_fraction ?? '0' }),
    ),
  };
}

/** Removes empty texts, because the server returns every text in every language, even if it is empty. */
function omitEmptyTexts(translations: PaymentMethod['translations']): PaymentMethod['translations'] {
  const omitEmpty = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
  return Object.fromEntries(Object.entries(translations).map(([locale, texts]) => [locale, omitEmpty(texts)]));
}

/**
 * Builds the request body from the changed fields and the secrets. If a field of `withdrawal_options` or `public_fields` changed,
 * the body contains the whole group, because the server replaces it. `base` holds the values before the changes; it is null for a
 * new method.
 */
export function buildMethodBody(base: FormValues | null, values: FormValues): MethodInput {
  const baseValues = base ?? {};
  const withdrawalValues = removePrefix('withdrawal_options', values);
  const publicFieldValues = removePrefix('public_fields', values);
  const isNonEmpty = (patch: object) => Object.keys(patch).length > 0;
  return {
    ...(base ? GENERAL_FORM.toPatch(values, base) : GENERAL_FORM.toCreateBody(values)),
    ...(isNonEmpty(WITHDRAWAL_FORM.toPatch(withdrawalValues, removePrefix('withdrawal_options', baseValues)))
      ? { withdrawal_options: WITHDRAWAL_FORM.toBody(withdrawalValues) }
      : {}),
    ...(isNonEmpty(PUBLIC_FIELDS_FORM.toPatch(publicFieldValues, removePrefix('public_fields', baseValues)))
      ? { public_fields: PUBLIC_FIELDS_FORM.toBody(publicFieldValues) }
      : {}),
    ...buildSecretFields(values),
  };
}

/** Returns the empty field if only one of the two fields of a new secret is filled in. */
export function findMissingSecretField(values: FormValues): 'secret-name' | 'secret-value' | null {
  const [hasName, hasValue] = [Boolean(values['secret-name']?.trim()), Boolean(values['secret-value'])];
  if (hasName === hasValue) return null;
  return hasName ? 'secret-value' : 'secret-name';
}

/**
 * The form field `secret.api_key` holds a new value for the secret `api_key`, and the checkbox `remove-secret.api_key` removes
 * it. `secret-name` and `secret-value` add a secret.
 */
function buildSecretFields(values: FormValues): Pick<MethodInput, 'secrets' | 'remove_secrets'> {
  const findEntriesWithPrefix = (prefix: string) =>
    Object.entries(values)
      .filter(([name, value]) => name.startsWith(prefix) && value)
      .map(([name, value]) => [name.slice(prefix.length), value] as const);
  const secrets = [...findEntriesWithPrefix('secret.')];
  const { 'secret-name': newName, 'secret-value': newValue } = values;
  if (newName && newValue) secrets.push([newName.trim(), newValue]);
  const removedNames = findEntriesWithPrefix('remove-secret.').map(([name]) => name);
  return {
    ...(secrets.length > 0 ? { secrets: Object.fromEntries(secrets) } : {}),
    ...(removedNames.length > 0 ? { remove_secrets: removedNames } : {}),
  };
}
