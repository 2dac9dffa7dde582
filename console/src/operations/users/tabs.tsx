// The parts of a customer's page. A new part is a row here: its address, its text, who may see it and what draws it.
import type { ComponentType } from 'react';
import type { Schemas } from '@/api/client';
import type { Permission } from '@/session/hooks';
import { type List, within } from '@/table/declare';
import { ServerTable } from '@/table/ServerTable';
import type { Tab } from '@/ui/Tabs';
import { AUDITS } from '../audit/AuditLog';
import { CANCEL_REQUESTS } from '../cancel-requests/CancelRequests';
import { COMBO_ORDERS } from '../combo-orders/ComboOrders';
import { DRIP_FEEDS } from '../drip-feeds/DripFeeds';
import { FREE_TRIALS } from '../free-trials/FreeTrials';
import { INVOICES } from '../invoices/Invoices';
import { ORDERS } from '../orders/declaration';
import { TRANSACTIONS } from '../payments/Transactions';
import { SUBSCRIPTIONS } from '../subscriptions/declaration';
import { WITHDRAWALS } from '../withdrawals/Withdrawals';
import { Access } from './Access';
import { Affiliates } from './Affiliates';
import { Documents } from './Documents';
import { Overview } from './Overview';
import { Prices } from './Prices';
import { USERS } from './Users';

interface Part extends Tab {
  permissions: readonly Permission[];
  Draw: ComponentType<{ user: Schemas['User'] }>;
}

/** A list of what is the customer's, whatever its status: a tab hides nothing that the list's own screen filters out. */
function listed<Row extends { id: number }>(
  name: string,
  label: Tab['label'],
  permission: Permission,
  list: List<Row>,
  owner = 'user.id',
): Part {
  const { defaults: _, ...all } = list;
  return {
    name,
    label,
    permissions: [permission],
    Draw: ({ user }) => <ServerTable key={name} list={within(all, { [owner]: String(user.id) })} />,
  };
}

export const PARTS: readonly Part[] = [
  { name: '', label: 'users.tabs.overview', permissions: [], Draw: Overview },
  {
    name: 'orders',
    label: 'users.tabs.orders',
    permissions: ['view orders'],
    Draw: ({ user }) => <ServerTable list={within(ORDERS, { 'user.id': String(user.id) })} />,
  },
  {
    name: 'payments',
    label: 'users.tabs.payments',
    permissions: ['view finances'],
    Draw: ({ user }) => <ServerTable list={within(TRANSACTIONS, { 'user.id': String(user.id) })} />,
  },
  listed('invoices', 'invoices.title', 'view invoices', INVOICES),
  listed('withdrawals', 'withdrawals.title', 'view withdrawals', WITHDRAWALS),
  listed('subscriptions', 'subscriptions.title', 'view orders', SUBSCRIPTIONS),
  listed('drip-feeds', 'dripFeeds.title', 'view orders', DRIP_FEEDS),
  listed('combo-orders', 'comboOrders.title', 'view orders', COMBO_ORDERS),
  listed('cancel-requests', 'cancelRequests.title', 'view orders', CANCEL_REQUESTS),
  listed('free-trials', 'freeTrials.title', 'manage free trials', FREE_TRIALS),
  listed('referred', 'users.tabs.referred', 'view users', USERS, 'affiliate.id'),
  { name: 'prices', label: 'users.tabs.prices', permissions: [], Draw: Prices },
  { name: 'affiliates', label: 'users.tabs.affiliates', permissions: [], Draw: Affiliates },
  { name: 'access', label: 'users.tabs.access', permissions: [], Draw: Access },
  { name: 'documents', label: 'users.tabs.documents', permissions: [], Draw: Documents },
  {
    name: 'history',
    label: 'users.tabs.history',
    permissions: ['view audits'],
    Draw: ({ user }) => (
      <ServerTable list={within(AUDITS, { auditable_type: 'user', auditable_id: String(user.id) })} />
    ),
  },
];
