// Orders that child panels placed: the orders list, narrowed by the server.
import { ServerTable } from '@/table/ServerTable';
import { CHILD_PANEL_ORDERS } from './declaration';

export default function ChildPanels() {
  return <ServerTable list={CHILD_PANEL_ORDERS} />;
}
