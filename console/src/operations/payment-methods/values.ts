// Converts a payment method to form values, and form values to a request body with the changed fields.
import type { Schemas } from '@/api/client';
import { ChargeType, PaymentMethodType, PaymentStrategy } from '@/api/words';
import { orDefault } from '@/form/codec';
import { checkbox, choice, image, money, percent, quantity, text, texts } from '@/form/codecs';
import { type AnyFormSpec, defineForm, type FormValues, withoutPrefix, withPrefix } from '@/form/spec';

type Method = Schemas['PaymentMethod'];
type Input = Schemas['PaymentMethodInput'];

const GENERAL = defineForm<Input>()({
  translations: texts,
  type: choice(PaymentMethodType),
  strategy: choice(PaymentStrategy),
  charge_type: choice(ChargeType),
  charge_currency: text,
  fee_percent: orDefault(percent, '0'),
  min_amount: orDefault(money, '0'),
  max_amount: money,
  position: orDefault(quantity, 0),
  is_allowed_for_new_user: checkbox,
  icon: image,
  allow_qr_code: checkbox,
  payment_qr_code: image,
});
const WITHDRAWAL = defineForm<Schemas['WithdrawalOptions']>()({
  available_for_withdrawal: checkbox,
  min_amount: orDefault(money, '0'),
  max_amount: money,
  min_fee: orDefault(money, '0'),
  fee_percent: orDefault(percent, '0'),
});
const PUBLIC = defineForm<Schemas['PublicFields']>()({ is_user_comment: checkbox, qr_code: checkbox });

export const METHOD: AnyFormSpec = {
  codecs: {
    ...GENERAL.codecs,
    ...withPrefix('withdrawal_options', WITHDRAWAL.codecs),
    ...withPrefix('public_fields', PUBLIC.codecs),
  },
};

const NEW_METHOD: FormValues = {
  translations: '{}',
  type: 'card',
  strategy: 'manual',
  charge_type: 'on_top',
  charge_currency: 'USD',
  is_allowed_for_new_user: 'yes',
};

/** The initial form values: those of the method, or the defaults of a new one. */
export function valuesOf(method: Method | null): FormValues {
  if (!method) return NEW_METHOD;
  const { withdrawal_options: withdrawal, public_fields } = method;
  return {
    ...GENERAL.toValues({ ...method, translations: withoutEmptyTexts(method.translations) }),
    ...withPrefix('public_fields', PUBLIC.toValues(public_fields)),
    ...withPrefix(
      'withdrawal_options',
      WITHDRAWAL.toValues({ ...withdrawal, fee_percent: withdrawal.fee_percent ?? '0' }),
    ),
  };
}

/** Drops empty texts. The server sends every text in every language, also the empty ones. */
function withoutEmptyTexts(translations: Method['translations']): Method['translations'] {
  const filled = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
  return Object.fromEntries(Object.entries(translations).map(([locale, texts]) => [locale, filled(texts)]));
}

/**
 * Builds the request body from the changed fields and the secrets. A group of fields is sent whole if one of its fields changed. A
 * new method has no `base`.
 */
export function bodyOf(base: FormValues | null, values: FormValues): Input {
  const before = base ?? {};
  const withdrawal = withoutPrefix('withdrawal_options', values);
  const publicFields = withoutPrefix('public_fields', values);
  const hasChanges = (patch: object) => Object.keys(patch).length > 0;
  return {
    ...(base ? GENERAL.toPatch(values, base) : GENERAL.toCreateBody(values)),
    ...(hasChanges(WITHDRAWAL.toPatch(withdrawal, withoutPrefix('withdrawal_options', before)))
      ? { withdrawal_options: WITHDRAWAL.toBody(withdrawal) }
      : {}),
    ...(hasChanges(PUBLIC.toPatch(publicFields, withoutPrefix('public_fields', before)))
      ? { public_fields: PUBLIC.toBody(publicFields) }
      : {}),
    ...secretsOf(values),
  };
}

/** The empty field of a new secret whose other field is filled. */
export function missingSecretField(values: FormValues): 'secret-name' | 'secret-value' | null {
  const [hasName, hasValue] = [Boolean(values['secret-name']?.trim()), Boolean(values['secret-value'])];
  if (hasName === hasValue) return null;
  return hasName ? 'secret-value' : 'secret-name';
}

/**
 * `secret.api_key` holds a new value of a secret, `secret-gone.api_key` is checked to remove it. `secret-name` and `secret-value`
 * add a secret.
 */
function secretsOf(values: FormValues): Pick<Input, 'secrets' | 'remove_secrets'> {
  const entriesWithPrefix = (prefix: string) =>
    Object.entries(values)
      .filter(([name, value]) => name.startsWith(prefix) && value)
      .map(([name, value]) => [name.slice(prefix.length), value] as const);
  const secrets = [...entriesWithPrefix('secret.')];
  const { 'secret-name': newName, 'secret-value': newValue } = values;
  if (newName && newValue) secrets.push([newName.trim(), newValue]);
  const removed = entriesWithPrefix('secret-gone.').map(([name]) => name);
  return {
    ...(secrets.length > 0 ? { secrets: Object.fromEntries(secrets) } : {}),
    ...(removed.length > 0 ? { remove_secrets: removed } : {}),
  };
}
