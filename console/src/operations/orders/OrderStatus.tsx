// The status tag of an order. The API returns the status `stopped` for a paused order and for a rejected order. The tag of a
// rejected order shows `rejected`.
import type { Schemas } from '@/api/client';
import { StatusTag } from '@/ui/StatusTag';

type OrderStatusFields = Pick<Schemas['OrderRow'], 'status' | 'approval'>;

export function OrderStatus({ order }: { order: OrderStatusFields }) {
  const isRejected = order.status === 'stopped' && order.approval === 'rejected';
  return <StatusTag status={isRejected ? 'rejected' : order.status} />;
}
