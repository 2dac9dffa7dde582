// The parts of a customer's page. A new part is a row here: its address, its text, who may see it and what draws it.
import type { ComponentType } from 'react';
import type { Schemas } from '@/api/client';
import type { Permission } from '@/session/hooks';
import { within } from '@/table/declare';
import { ServerTable } from '@/table/ServerTable';
import type { Tab } from '@/ui/Tabs';
import { AUDITS } from '../audit/AuditLog';
import { ORDERS } from '../orders/declaration';
import { TRANSACTIONS } from '../payments/Transactions';
import { Access } from './Access';
import { Affiliates } from './Affiliates';
import { Documents } from './Documents';
import { Overview } from './Overview';
import { Prices } from './Prices';

interface Part extends Tab {
  permissions: readonly Permission[];
  Draw: ComponentType<{ user: Schemas['User'] }>;
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
