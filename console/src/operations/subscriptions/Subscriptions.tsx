// The list of subscriptions.
import { ServerTable } from '@/table/ServerTable';
import { SUBSCRIPTION_LIST } from './subscriptionList';

export default function Subscriptions() {
  return <ServerTable list={SUBSCRIPTION_LIST} />;
}
