// The status tag of an order. The API returns the status `stopped` for paused and for rejected orders, so the tag also uses the
// approval to show `rejected`.
import type { Schemas } from '@/api/client';
import { StatusTag } from '@/ui/StatusTag';

type OrderStatusFields = Pick<Schemas['OrderRow'], 'status' | 'approval'>;

export function OrderStatus({ order }: { order: OrderStatusFields }) {
  const isRejected = order.status === 'stopped' && order.approval === 'rejected';
  return <StatusTag status={isRejected ? 'rejected' : order.status} />;
}
