// A query client that also invalidates dependent queries. A screen invalidates the query of the records that it has changed. The client
// then invalidates all queries that depend on these records, such as the query of a customer, whose balance changes after a payment.
import { type InvalidateOptions, type InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';

/** The first elements of query keys. Maps the key of changed records to the keys of the queries that depend on these records. */
const DEPENDENT_QUERIES: Readonly<Record<string, readonly string[]>> = {
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

export class PanelQueryClient extends QueryClient {
  override async invalidateQueries(
    filters: InvalidateQueryFilters = {},
    options: InvalidateOptions = {},
  ): Promise<void> {
    const [changedKey] = filters.queryKey ?? [];
    const dependentKeys = typeof changedKey === 'string' ? (DEPENDENT_QUERIES[changedKey] ?? []) : [];
    const allFilters = [filters, ...dependentKeys.map((key) => ({ ...filters, queryKey: [key] }))];
    await Promise.all(allFilters.map((queryFilters) => super.invalidateQueries(queryFilters, options)));
  }
}
