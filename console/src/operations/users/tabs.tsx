// The tabs of a customer's page: the last segment of the path, the label, the required permissions and the component of each tab.
import type { ComponentType } from 'react';
import type { Schemas } from '@/api/client';
import type { Permission } from '@/session/hooks';
import { type List, scopeToRecord } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import type { Tab } from '@/ui/Tabs';
import { AUDIT_LIST } from '../audit/AuditLog';
import { CANCEL_REQUEST_LIST } from '../cancel-requests/CancelRequests';
import { COMBO_ORDER_LIST } from '../combo-orders/ComboOrders';
import { DRIP_FEED_LIST } from '../drip-feeds/DripFeeds';
import { FREE_TRIAL_LIST } from '../free-trials/FreeTrials';
import { INVOICE_LIST } from '../invoices/Invoices';
import { ORDER_LIST } from '../orders/orderList';
import { TRANSACTION_LIST } from '../payments/Transactions';
import { SUBSCRIPTION_LIST } from '../subscriptions/subscriptionList';
import { WITHDRAWAL_LIST } from '../withdrawals/Withdrawals';
import { Access } from './Access';
import { Affiliates } from './Affiliates';
import { Documents } from './Documents';
import { Overview } from './Overview';
import { Prices } from './Prices';
import { CUSTOMER_LIST } from './Users';

interface UserTab extends Tab {
  permissions: readonly Permission[];
  Content: ComponentType<{ user: Schemas['User'] }>;
}

/** Creates a tab that lists the customer's records in every status: the default filters of the list are removed. */
function createListTab<Row extends { id: number }>(
  name: string,
  labelKey: Tab['labelKey'],
  permission: Permission,
  list: List<Row>,
  customerFilter = 'user.id',
): UserTab {
  const { defaultFilters: _, ...listWithoutDefaults } = list;
  return {
    name,
    labelKey,
    permissions: [permission],
    Content: ({ user }) => (
      <ServerTable key={name} list={scopeToRecord(listWithoutDefaults, { [customerFilter]: String(user.id) })} />
    ),
  };
}

export const USER_TABS: readonly UserTab[] = [
  { name: '', labelKey: 'users.tabs.overview', permissions: [], Content: Overview },
  {
    name: 'orders',
    labelKey: 'users.tabs.orders',
    permissions: ['view orders'],
    Content: ({ user }) => <ServerTable list={scopeToRecord(ORDER_LIST, { 'user.id': String(user.id) })} />,
  },
  {
    name: 'payments',
    labelKey: 'users.tabs.payments',
    permissions: ['view finances'],
    Content: ({ user }) => <ServerTable list={scopeToRecord(TRANSACTION_LIST, { 'user.id': String(user.id) })} />,
  },
  createListTab('invoices', 'invoices.title', 'view invoices', INVOICE_LIST),
  createListTab('withdrawals', 'withdrawals.title', 'view withdrawals', WITHDRAWAL_LIST),
  createListTab('subscriptions', 'subscriptions.title', 'view orders', SUBSCRIPTION_LIST),
  createListTab('drip-feeds', 'dripFeeds.title', 'view orders', DRIP_FEED_LIST),
  createListTab('combo-orders', 'comboOrders.title', 'view orders', COMBO_ORDER_LIST),
  createListTab('cancel-requests', 'cancelRequests.title', 'view orders', CANCEL_REQUEST_LIST),
  createListTab('free-trials', 'freeTrials.title', 'manage free trials', FREE_TRIAL_LIST),
  createListTab('referred', 'users.tabs.referred', 'view users', CUSTOMER_LIST, 'affiliate.id'),
  { name: 'prices', labelKey: 'users.tabs.prices', permissions: [], Content: Prices },
  { name: 'affiliates', labelKey: 'users.tabs.affiliates', permissions: [], Content: Affiliates },
  { name: 'access', labelKey: 'users.tabs.access', permissions: [], Content: Access },
  { name: 'documents', labelKey: 'users.tabs.documents', permissions: [], Content: Documents },
  {
    name: 'history',
    labelKey: 'users.tabs.history',
    permissions: ['view audits'],
    Content: ({ user }) => (
      <ServerTable list={scopeToRecord(AUDIT_LIST, { auditable_type: 'user', auditable_id: String(user.id) })} />
    ),
  },
];
