// The status tag of an order. A rejected order has the status `stopped` on the wire, like a paused one, so it is shown as
// rejected.
import type { Schemas } from '@/api/client';
import { StatusTag } from '@/ui/StatusTag';

type Order = Pick<Schemas['OrderRow'], 'status' | 'approval'>;

export function OrderStatus({ order }: { order: Order }) {
  const isRejected = order.status === 'stopped' && order.approval === 'rejected';
  return <StatusTag status={isRejected ? 'rejected' : order.status} />;
}
