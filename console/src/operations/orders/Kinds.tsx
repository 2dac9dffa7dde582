// Where an order belongs to: its drip-feed, subscription or combo order, shown with the id and leading to its orders.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';

export const KINDS = ['drip_feed', 'subscription', 'combo_order'] as const;

type Belongs = Pick<Schemas['OrderRow'], 'drip_feed_id' | 'subscription_id' | 'combo_order_id'>;

export function Kinds({ row }: { row: Belongs }) {
  const { t } = useTranslation();
  return KINDS.map((kind) => {
    const id = row[`${kind}_id`];
    return id ? (
      <Link key={kind} className="kind" href={`/orders?type=${kind}&id=${id}`}>
        {t(`orders.kind.${kind}`, { id })}
      </Link>
    ) : null;
  });
}
