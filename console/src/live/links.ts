// Links of the four live counters: each to its list, filtered by the counted records.
import type { Permission } from '@/session/hooks';
import type { Counters } from './counters';

export const COUNTER_LINKS: readonly {
  name: keyof Counters;
  icon: string;
  to: string;
  permission: Permission;
}[] = [
  { name: 'ordersInModerationCount', icon: 'eye', to: '/orders?status=in_moderation', permission: 'view orders' },
  { name: 'ordersInProcessingCount', icon: 'sync', to: '/orders?status=in_processing', permission: 'view orders' },
  {
    name: 'ordersWithNoActiveProvidersCount',
    icon: 'exclamation-triangle',
    to: '/orders?has_no_active_providers=1',
    permission: 'view orders',
  },
  { name: 'freeTrialsInPendingCount', icon: 'gift', to: '/requests?status=pending', permission: 'manage free trials' },
];
