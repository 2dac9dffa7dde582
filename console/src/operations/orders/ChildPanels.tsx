// The list of orders that child panels placed.
import { ServerTable } from '@/table/ServerTable';
import { CHILD_PANEL_ORDER_LIST } from './orderList';

export default function ChildPanels() {
  return <ServerTable list={CHILD_PANEL_ORDER_LIST} />;
}
