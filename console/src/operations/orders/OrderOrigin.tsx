// Links from an order to the drip-feed, subscription or combo order that placed it.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';

export const ORIGIN_KINDS = ['drip_feed', 'subscription', 'combo_order'] as const;

type OriginIds = Pick<Schemas['OrderRow'], 'drip_feed_id' | 'subscription_id' | 'combo_order_id'>;

/** Returns the URL of the drip-feed, subscription or combo order itself. */
const ORIGIN_PATHS = {
  drip_feed: (id: number) => `/drip-feed?id=${id}`,
  subscription: (id: number) => `/subscriptions/${id}`,
  combo_order: (id: number) => `/combo-orders?id=${id}`,
} as const;

/** The links open the list of all orders with the same origin. With `linkToOrigin` they open the origin itself. */
export function OrderOrigin({ row, linkToOrigin = false }: { row: OriginIds; linkToOrigin?: boolean }) {
  const { t } = useTranslation();
  return ORIGIN_KINDS.map((kind) => {
    const id = row[`${kind}_id`];
    return id ? (
      <Link key={kind} className="kind" href={linkToOrigin ? ORIGIN_PATHS[kind](id) : `/orders?type=${kind}&id=${id}`}>
        {t(`orders.origin.${kind}`, { id })}
      </Link>
    ) : null;
  });
}
