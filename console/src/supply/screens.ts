// The screens of providers and of the external panels that deliver orders.
import { lazy } from 'react';
import type { Screen } from '@/shell/screen';

export const SUPPLY_SCREENS: readonly Screen[] = [
  {
    path: '/providers',
    permissions: ['manage services and providers'],
    menuLabel: 'providers',
    menuGroup: 'supply',
    icon: 'truck',
    component: lazy(() => import('@/supply/providers/Providers')),
  },
  {
    path: '/providers/report',
    permissions: ['manage services and providers'],
    component: lazy(() => import('@/supply/providers/Report')),
  },
  {
    path: '/providers/:id',
    permissions: ['manage services and providers'],
    component: lazy(() => import('@/supply/providers/ProviderPage')),
  },
  {
    path: '/external-panel-orders',
    permissions: ['manage external panel orders'],
    menuLabel: 'externalPanelOrders',
    menuGroup: 'supply',
    icon: 'send',
    component: lazy(() => import('@/supply/external-panel-orders/ExternalPanelOrders')),
  },
  {
    path: '/external-panel-orders/:id',
    permissions: ['manage external panel orders'],
    component: lazy(() => import('@/supply/external-panel-orders/ExternalPanelOrderPage')),
  },
  {
    path: '/external-panels',
    permissions: ['manage external panels'],
    menuLabel: 'externalPanels',
    menuGroup: 'supply',
    icon: 'link',
    component: lazy(() => import('@/supply/external-panels/ExternalPanels')),
  },
  {
    path: '/external-panels/:id/:tab?',
    permissions: ['manage external panels'],
    component: lazy(() => import('@/supply/external-panels/PanelPage')),
  },
  {
    path: '/held-changes',
    permissions: ['manage external panels'],
    menuLabel: 'syncChanges',
    menuGroup: 'supply',
    icon: 'history',
    component: lazy(() => import('@/supply/imports/SyncChanges')),
  },
];
