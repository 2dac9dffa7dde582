// A payment method as the form has it, and back: what is sent is what was changed.
import type { Schemas } from '@/api/client';
import { ChargeType, PaymentMethodType, PaymentStrategy } from '@/api/words';
import { or } from '@/form/codec';
import { choice, image, money, percent, quantity, text, texts, tick } from '@/form/codecs';
import { type AnySpec, type FormValues, formOf, groupOf, prefixed } from '@/form/spec';

type Method = Schemas['PaymentMethod'];
type Input = Schemas['PaymentMethodInput'];

const OWN = formOf<Input>()({
  translations: texts,
  type: choice(PaymentMethodType),
  strategy: choice(PaymentStrategy),
  charge_type: choice(ChargeType),
  charge_currency: text,
  fee_percent: or(percent, '0'),
  min_amount: or(money, '0'),
  max_amount: money,
  position: or(quantity, 0),
  is_allowed_for_new_user: tick,
  icon: image,
  allow_qr_code: tick,
  payment_qr_code: image,
});
const WITHDRAWAL = formOf<Schemas['WithdrawalOptions']>()({
  available_for_withdrawal: tick,
  min_amount: or(money, '0'),
  max_amount: money,
  min_fee: or(money, '0'),
  fee_percent: or(percent, '0'),
});
const PUBLIC = formOf<Schemas['PublicFields']>()({ is_user_comment: tick, qr_code: tick });

export const METHOD: AnySpec = {
  codecs: {
    ...OWN.codecs,
    ...prefixed('withdrawal_options', WITHDRAWAL.codecs),
    ...prefixed('public_fields', PUBLIC.codecs),
  },
};

const NEW: FormValues = {
  translations: '{}',
  type: 'card',
  strategy: 'manual',
  charge_type: 'on_top',
  charge_currency: 'USD',
  is_allowed_for_new_user: 'yes',
};

/** What the form starts with. */
export function valuesOf(method: Method | null): FormValues {
  if (!method) return NEW;
  const { withdrawal_options: withdrawal, public_fields } = method;
  return {
    ...OWN.valuesOf({ ...method, translations: without(method.translations) }),
    ...prefixed('public_fields', PUBLIC.valuesOf(public_fields)),
    ...prefixed(
      'withdrawal_options',
      WITHDRAWAL.valuesOf({ ...withdrawal, fee_percent: withdrawal.fee_percent ?? '0' }),
    ),
  };
}

/** Texts without the empty ones, which a method has for every language. */
function without(translations: Method['translations']): Method['translations'] {
  const filled = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
  return Object.fromEntries(Object.entries(translations).map(([locale, texts]) => [locale, filled(texts)]));
}

/** The body of a call: what differs, a group as a whole where anything in it does, and secrets. A new method has no `base`. */
export function bodyOf(base: FormValues | null, now: FormValues): Input {
  const before = base ?? {};
  const [withdrawal, seen] = [groupOf('withdrawal_options', now), groupOf('public_fields', now)];
  const isIn = (changes: object) => Object.keys(changes).length > 0;
  return {
    ...(base ? OWN.changesOf(now, base) : OWN.newOf(now)),
    ...(isIn(WITHDRAWAL.changesOf(withdrawal, groupOf('withdrawal_options', before)))
      ? { withdrawal_options: WITHDRAWAL.wholeOf(withdrawal) }
      : {}),
    ...(isIn(PUBLIC.changesOf(seen, groupOf('public_fields', before))) ? { public_fields: PUBLIC.wholeOf(seen) } : {}),
    ...secretsOf(now),
  };
}

/** The half of a new secret that is empty beside the other. */
export function secretGap(now: FormValues): 'secret-name' | 'secret-value' | null {
  const [isNamed, isTyped] = [Boolean(now['secret-name']?.trim()), Boolean(now['secret-value'])];
  if (isNamed === isTyped) return null;
  return isNamed ? 'secret-value' : 'secret-name';
}

/** `secret.api_key` is a new text for it, `secret-gone.api_key` forgets it; the new one has its name beside it. */
function secretsOf(now: FormValues): Pick<Input, 'secrets' | 'remove_secrets'> {
  const named = (prefix: string) =>
    Object.entries(now)
      .filter(([name, value]) => name.startsWith(prefix) && value)
      .map(([name, value]) => [name.slice(prefix.length), value] as const);
  const set = [...named('secret.')];
  if (now['secret-name'] && now['secret-value']) set.push([now['secret-name'].trim(), now['secret-value']]);
  const gone = named('secret-gone.').map(([name]) => name);
  return {
    ...(set.length > 0 ? { secrets: Object.fromEntries(set) } : {}),
    ...(gone.length > 0 ? { remove_secrets: gone } : {}),
  };
}
