// The orders list.
import { Redirect, useSearch } from 'wouter';
import { ServerTable } from '@/table/ServerTable';
import { ORDERS } from './declaration';
import { KINDS } from './Kinds';

export default function Orders() {
  const said = new URLSearchParams(useSearch());
  // The specification's links name a kind of order and its id; the list knows them as filters.
  const kind = KINDS.find((kind) => kind === said.get('type'));
  if (kind) return <Redirect to={`/orders?${kind}_id=${said.get('id') ?? ''}`} replace />;
  return <ServerTable list={ORDERS} />;
}
