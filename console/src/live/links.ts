// The links of the four live counters. Each link opens the list of the counted records.
import type { Permission } from '@/session/hooks';
import type { Counters } from './counters';

export const COUNTER_LINKS: readonly {
  name: keyof Counters;
  icon: string;
  href: string;
  permission: Permission;
}[] = [
  { name: 'ordersInModerationCount', icon: 'eye', href: '/orders?status=in_moderation', permission: 'view orders' },
  { name: 'ordersInProcessingCount', icon: 'sync', href: '/orders?status=in_processing', permission: 'view orders' },
  {
    name: 'ordersWithNoActiveProvidersCount',
    icon: 'exclamation-triangle',
    href: '/orders?has_no_active_providers=1',
    permission: 'view orders',
  },
  {
    name: 'freeTrialsInPendingCount',
    icon: 'gift',
    href: '/requests?status=pending',
    permission: 'manage free trials',
  },
];
