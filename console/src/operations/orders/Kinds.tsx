// Where an order belongs to: its drip-feed, subscription or combo order, shown with the id and leading to its orders.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';

export const KINDS = ['drip_feed', 'subscription', 'combo_order'] as const;

type Belongs = Pick<Schemas['OrderRow'], 'drip_feed_id' | 'subscription_id' | 'combo_order_id'>;

/** Where each of them has its own place. */
const PLACES = {
  drip_feed: (id: number) => `/drip-feed?id=${id}`,
  subscription: (id: number) => `/subscriptions/${id}`,
  combo_order: (id: number) => `/combo-orders?id=${id}`,
} as const;

/** `own`: the links lead to the drip-feed itself, not to its orders. */
export function Kinds({ row, own = false }: { row: Belongs; own?: boolean }) {
  const { t } = useTranslation();
  return KINDS.map((kind) => {
    const id = row[`${kind}_id`];
    return id ? (
      <Link key={kind} className="kind" href={own ? PLACES[kind](id) : `/orders?type=${kind}&id=${id}`}>
        {t(`orders.kind.${kind}`, { id })}
      </Link>
    ) : null;
  });
}
