// What the forms of the marketing wing share: fields as the wire has them, and what was changed of them.
import { fractionOf } from '@/ui/fraction';
import { timeOf } from '@/ui/times';
import type { Values } from '@/ui/useForm';
import { wholeOf } from '@/ui/whole';

/** How a field of a form is sent. */
export type Sent = Readonly<Record<string, (value: string) => unknown>>;

export const asMoney = (value: string) => value.replace(/\s/g, '').replace(',', '.') || null;
export const asWhole = wholeOf;
export const asShare = (value: string) => fractionOf(value) || null;
export const asTick = (value: string) => value === 'yes';
export const asJson = (value: string) => JSON.parse(value || '{}') as unknown;
export const asTime = (value: string) => timeOf(value);
export const asList = (value: string) => value.split(',').filter(Boolean);

export const tick = (on: boolean) => (on ? 'yes' : '');

/** What differs from `was`, each as it is sent; the stamp that the form began with always. */
export function changed(was: Values, now: Values, sent: Sent): Record<string, unknown> {
  const differs = Object.entries(now).filter(([name, value]) => name === 'updated_at' || value !== (was[name] ?? ''));
  return Object.fromEntries(differs.map(([name, value]) => [name, sent[name]?.(value) ?? (sent[name] ? null : value)]));
}
