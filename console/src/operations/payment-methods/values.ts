// A payment method as the form has it, and back: what is sent is what was changed.
import type { Schemas } from '@/api/client';
import { fractionOf, percentOf } from '@/ui/fraction';

type Method = Schemas['PaymentMethod'];
type Input = Schemas['PaymentMethodInput'];
export type Values = Record<string, string>;

export const TYPES = [
  'card',
  'bank',
  'crypto',
  'paypal',
  'wallet',
  'cash',
  'other',
] as const satisfies readonly Schemas['PaymentMethodType'][];
export const STRATEGIES = ['manual', 'gateway'] as const satisfies readonly Schemas['PaymentStrategy'][];
export const CHARGES = ['on_top', 'deducted'] as const satisfies readonly Schemas['ChargeType'][];

/** Fields of the form that stand in a group of the record. */
const WITHDRAWAL = ['available_for_withdrawal', 'min_amount', 'max_amount', 'min_fee', 'fee_percent'] as const;
const PUBLIC = ['is_user_comment', 'qr_code'] as const;
const FLAGS = ['is_allowed_for_new_user', 'allow_qr_code', 'available_for_withdrawal', ...PUBLIC];

const yes = (flag: boolean) => (flag ? 'yes' : '');
const amount = (text = '') => text.replace(/\s/g, '').replace(',', '.');

/** What the form starts with. */
export function valuesOf(method: Method | null): Values {
  if (!method)
    return {
      translations: JSON.stringify({}),
      type: 'card',
      strategy: 'manual',
      charge_type: 'on_top',
      charge_currency: 'USD',
      is_allowed_for_new_user: 'yes',
    };
  const { withdrawal_options: withdrawal, public_fields: seen } = method;
  return {
    updated_at: method.updated_at,
    translations: JSON.stringify(without(method.translations)),
    type: method.type,
    strategy: method.strategy,
    charge_type: method.charge_type,
    charge_currency: method.charge_currency,
    fee_percent: percentOf(method.fee_percent),
    min_amount: method.min_amount,
    max_amount: method.max_amount ?? '',
    position: String(method.position),
    is_allowed_for_new_user: yes(method.is_allowed_for_new_user),
    icon: method.icon ?? '',
    allow_qr_code: yes(method.allow_qr_code),
    payment_qr_code: method.payment_qr_code ?? '',
    'public_fields.is_user_comment': yes(seen.is_user_comment ?? false),
    'public_fields.qr_code': yes(seen.qr_code ?? false),
    'withdrawal_options.available_for_withdrawal': yes(withdrawal.available_for_withdrawal ?? false),
    'withdrawal_options.min_amount': withdrawal.min_amount ?? '',
    'withdrawal_options.max_amount': withdrawal.max_amount ?? '',
    'withdrawal_options.min_fee': withdrawal.min_fee ?? '',
    'withdrawal_options.fee_percent': percentOf(withdrawal.fee_percent ?? '0'),
  };
}

/** Texts without the empty ones, so that looking at a language changes nothing. */
function without(translations: Method['translations']) {
  const filled = (texts: object) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
  return Object.fromEntries(Object.entries(translations).map(([locale, texts]) => [locale, filled(texts)]));
}

/** The body of a call: what differs, as the wire has it. */
export function bodyOf(was: Values, now: Values): Input {
  const body: Record<string, unknown> = {};
  const differs = (name: string) => (now[name] ?? '') !== (was[name] ?? '');
  for (const name of Object.keys(now).filter(differs)) {
    if (name.includes('.') || name.startsWith('secret')) continue;
    body[name] = one(name, now[name]);
  }
  const groups = { withdrawal_options: WITHDRAWAL, public_fields: PUBLIC } as const;
  for (const [group, names] of Object.entries(groups)) {
    if (names.some((name) => differs(`${group}.${name}`)))
      body[group] = Object.fromEntries(names.map((name) => [name, one(name, now[`${group}.${name}`])]));
  }
  return { ...(body as Input), ...secretsOf(now) };
}

function one(name: string, value = ''): unknown {
  if (FLAGS.includes(name)) return value === 'yes';
  if (name === 'translations') return JSON.parse(value);
  if (name === 'fee_percent') return fractionOf(value) || '0';
  if (name === 'max_amount') return amount(value) || null;
  if (name === 'min_amount' || name === 'min_fee') return amount(value) || '0';
  if (name === 'position') return Number(value) || 0;
  if (name === 'icon' || name === 'payment_qr_code') return value || null;
  return value.trim();
}

/** `secret.api_key` is a new text for it, `secret-gone.api_key` forgets it; the new one has its name beside it. */
function secretsOf(now: Values): Pick<Input, 'secrets' | 'remove_secrets'> {
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
