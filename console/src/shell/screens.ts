// Every screen: its path, who may enter, its place in the menu and the file that draws it, loaded when it is entered.
// A new screen is a row here.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { Counters } from '@/live/counters';
import type { Permission } from '@/session/hooks';

export interface Screen {
  path: string;
  /** Any one of these; an empty list asks for nothing but a sign-in. */
  permissions: readonly Permission[];
  /** Key under `menu`; screens without one are reached from others. */
  menu?: 'home' | 'orders' | 'transactions' | 'users' | 'services' | 'changeLogs' | 'staff' | 'auditLog';
  icon?: string;
  /** What the menu counts, and the filter that shows what is counted. */
  counter?: { name: keyof Counters; filter: string };
  draw: LazyExoticComponent<ComponentType<{ params: Record<string, string | undefined> }>>;
}

export const SCREENS: readonly Screen[] = [
  { path: '/', permissions: [], menu: 'home', icon: 'home', draw: lazy(() => import('@/home/Home')) },
  {
    path: '/orders',
    permissions: ['view orders'],
    menu: 'orders',
    icon: 'shopping-cart',
    counter: { name: 'ordersInModerationCount', filter: 'status=in_moderation' },
    draw: lazy(() => import('@/operations/orders/Orders')),
  },
  { path: '/orders/:id', permissions: ['view orders'], draw: lazy(() => import('@/operations/orders/OrderPage')) },
  {
    path: '/transactions',
    permissions: ['view finances'],
    menu: 'transactions',
    icon: 'wallet',
    draw: lazy(() => import('@/operations/payments/Transactions')),
  },
  {
    path: '/users',
    permissions: ['view users'],
    menu: 'users',
    icon: 'users',
    draw: lazy(() => import('@/operations/users/Users')),
  },
  { path: '/users/:id/:tab?', permissions: ['view users'], draw: lazy(() => import('@/operations/users/UserPage')) },
  {
    path: '/services',
    permissions: ['view services'],
    menu: 'services',
    icon: 'tags',
    draw: lazy(() => import('@/catalogue/Services')),
  },
  {
    path: '/change-logs',
    permissions: ['view change logs'],
    menu: 'changeLogs',
    icon: 'history',
    draw: lazy(() => import('@/catalogue/ChangeLog')),
  },
  {
    path: '/staff',
    permissions: ['manage staff'],
    menu: 'staff',
    icon: 'id-card',
    draw: lazy(() => import('@/operations/staff/Staff')),
  },
  { path: '/staff/roles', permissions: ['manage staff'], draw: lazy(() => import('@/operations/staff/Roles')) },
  { path: '/staff/:id', permissions: ['manage staff'], draw: lazy(() => import('@/operations/staff/Member')) },
  {
    path: '/audit-log',
    permissions: ['view audits'],
    menu: 'auditLog',
    icon: 'shield',
    draw: lazy(() => import('@/operations/audit/AuditLog')),
  },
];

/** Paths of old links. */
export const MOVED: Readonly<Record<string, string>> = { '/finances': '/transactions' };
