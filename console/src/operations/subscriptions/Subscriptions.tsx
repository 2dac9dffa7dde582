// The subscriptions list.
import { ServerTable } from '@/table/ServerTable';
import { SUBSCRIPTIONS } from './declaration';

export default function Subscriptions() {
  return <ServerTable list={SUBSCRIPTIONS} />;
}
