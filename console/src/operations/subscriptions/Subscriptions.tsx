// The list of subscriptions.
import { ServerTable } from '@/table/ServerTable';
import { SUBSCRIPTIONS } from './declaration';

export default function Subscriptions() {
  return <ServerTable list={SUBSCRIPTIONS} />;
}
