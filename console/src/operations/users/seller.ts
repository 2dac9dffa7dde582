// What the dialog of a customer's manager says, as the wire has it.
import type { Schemas } from '@/api/client';

type Values = Readonly<Record<string, string>>;

/** Only what differs from the record: what somebody else set meanwhile stays. */
export function sellerChange(was: Values, now: Values): Partial<Schemas['SellerInput']> {
  const all = {
    seller_id: Number(now.seller_id) || null,
    seller_status: now.seller_status || null,
    contact_step: now.contact_step || null,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => (now[name] ?? '') !== (was[name] ?? '')));
}
