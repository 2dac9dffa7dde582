// The status of an order as people know it: one that staff rejected is stopped, and must not look like a paused one.
import type { Schemas } from '@/api/client';
import { StatusTag } from '@/ui/StatusTag';

type Order = Pick<Schemas['OrderRow'], 'status' | 'approval'>;

export function OrderStatus({ order }: { order: Order }) {
  const isRejected = order.status === 'stopped' && order.approval === 'rejected';
  return <StatusTag status={isRejected ? 'rejected' : order.status} />;
}
