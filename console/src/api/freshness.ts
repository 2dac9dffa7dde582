// Which records show the result of a change to others, such as the balance of a customer after a payment. A screen that changes a
// record marks it; what shows it elsewhere is marked here, once for every screen.
import { type InvalidateOptions, type InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';

/** By the first word of a query's key: the first words of those that show what is changed under it. */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  orders: [
    'users',
    'transactions',
    'payments',
    'combo-orders',
    'subscriptions',
    'drip-feeds',
    'order-cancel-requests',
    'external-panel-orders',
  ],
  'order-cancel-requests': ['orders', 'users', 'transactions'],
  'combo-orders': ['orders', 'users', 'transactions'],
  subscriptions: ['orders', 'users', 'transactions'],
  'drip-feeds': ['orders', 'users', 'transactions'],
  'free-trials': ['orders', 'users'],
  'external-panel-orders': ['orders'],
  transactions: ['users', 'payments', 'invoices'],
  payments: ['users', 'transactions', 'invoices'],
  invoices: ['users', 'payments', 'transactions'],
  withdrawals: ['users', 'transactions'],
  users: ['staff', 'roles', 'sellers', 'referrals'],
  staff: ['users', 'roles', 'sellers'],
  roles: ['users', 'staff'],
  grades: ['users'],
  'payment-methods': ['users', 'order-widgets'],
  catalogue: ['services', 'service-types', 'packages', 'special-offers', 'auto-promotion'],
  'service-types': ['catalogue', 'services'],
  services: ['catalogue', 'labels', 'targets', 'providers', 'auto-promotion', 'special-offers', 'packages'],
  labels: ['services'],
  targets: ['services'],
  providers: ['services', 'external-panels', 'available-providers'],
  packages: ['providers-packages'],
  'external-panels': ['providers', 'panel-services', 'external-panel-icon'],
  'external-panel-payments': ['external-panels'],
  'sync-changes': ['services', 'providers', 'panel-services'],
  'panel-services': ['services', 'providers', 'catalogue'],
};

/** Marks, with what was changed, what shows it: it is read again where it is on the screen, else when it comes there. */
export class FreshQueries extends QueryClient {
  override async invalidateQueries(
    filters: InvalidateQueryFilters = {},
    options: InvalidateOptions = {},
  ): Promise<void> {
    const [first] = filters.queryKey ?? [];
    const others = typeof first === 'string' ? (SHOWN_BY[first] ?? []) : [];
    const marked = [filters, ...others.map((other) => ({ ...filters, queryKey: [other] }))];
    await Promise.all(marked.map((one) => super.invalidateQueries(one, options)));
  }
}
