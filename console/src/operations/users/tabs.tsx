// The tabs of a customer's page: the last segment of the path, the label, the required permissions and the component of each tab.
import type { ComponentType } from 'react';
import type { Schemas } from '@/api/client';
import type { Permission } from '@/session/hooks';
import { type List, scopeToRecord } from '@/table/listDefinition';
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

interface UserTab extends Tab {
  permissions: readonly Permission[];
  Content: ComponentType<{ user: Schemas['User'] }>;
}

/** A tab with the records of the customer in every status: the default filters of the list are removed. */
function createListTab<Row extends { id: number }>(
  name: string,
  label: Tab['label'],
  permission: Permission,
  list: List<Row>,
  ownerFilter = 'user.id',
): UserTab {
  const { defaultFilters: _, ...listWithoutDefaults } = list;
  return {
    name,
    label,
    permissions: [permission],
    Content: ({ user }) => (
      <ServerTable key={name} list={scopeToRecord(listWithoutDefaults, { [ownerFilter]: String(user.id) })} />
    ),
  };
}

export const USER_TABS: readonly UserTab[] = [
  { name: '', label: 'users.tabs.overview', permissions: [], Content: Overview },
  {
    name: 'orders',
    label: 'users.tabs.orders',
    permissions: ['view orders'],
    Content: ({ user }) => <ServerTable list={scopeToRecord(ORDERS, { 'user.id': String(user.id) })} />,
  },
  {
    name: 'payments',
    label: 'users.tabs.payments',
    permissions: ['view finances'],
    Content: ({ user }) => <ServerTable list={scopeToRecord(TRANSACTIONS, { 'user.id': String(user.id) })} />,
  },
  createListTab('invoices', 'invoices.title', 'view invoices', INVOICES),
  createListTab('withdrawals', 'withdrawals.title', 'view withdrawals', WITHDRAWALS),
  createListTab('subscriptions', 'subscriptions.title', 'view orders', SUBSCRIPTIONS),
  createListTab('drip-feeds', 'dripFeeds.title', 'view orders', DRIP_FEEDS),
  createListTab('combo-orders', 'comboOrders.title', 'view orders', COMBO_ORDERS),
  createListTab('cancel-requests', 'cancelRequests.title', 'view orders', CANCEL_REQUESTS),
  createListTab('free-trials', 'freeTrials.title', 'manage free trials', FREE_TRIALS),
  createListTab('referred', 'users.tabs.referred', 'view users', USERS, 'affiliate.id'),
  { name: 'prices', label: 'users.tabs.prices', permissions: [], Content: Prices },
  { name: 'affiliates', label: 'users.tabs.affiliates', permissions: [], Content: Affiliates },
  { name: 'access', label: 'users.tabs.access', permissions: [], Content: Access },
  { name: 'documents', label: 'users.tabs.documents', permissions: [], Content: Documents },
  {
    name: 'history',
    label: 'users.tabs.history',
    permissions: ['view audits'],
    Content: ({ user }) => (
      <ServerTable list={scopeToRecord(AUDITS, { auditable_type: 'user', auditable_id: String(user.id) })} />
    ),
  },
];
