// Screens of the panels that supply it.
import { lazy } from 'react';
import type { Screen } from '@/shell/screen';

export const SUPPLY: readonly Screen[] = [
  {
    path: '/providers',
    permissions: ['manage services and providers'],
    menu: 'providers',
    group: 'supply',
    icon: 'truck',
    draw: lazy(() => import('@/supply/providers/Providers')),
  },
  {
    path: '/providers/report',
    permissions: ['manage services and providers'],
    draw: lazy(() => import('@/supply/providers/Report')),
  },
  {
    path: '/providers/:id',
    permissions: ['manage services and providers'],
    draw: lazy(() => import('@/supply/providers/ProviderPage')),
  },
  {
    path: '/external-panel-orders',
    permissions: ['manage external panel orders'],
    menu: 'externalPanelOrders',
    group: 'supply',
    icon: 'send',
    draw: lazy(() => import('@/supply/external-panel-orders/ExternalPanelOrders')),
  },
  {
    path: '/external-panel-orders/:id',
    permissions: ['manage external panel orders'],
    draw: lazy(() => import('@/supply/external-panel-orders/AttemptPage')),
  },
  {
    path: '/external-panels',
    permissions: ['manage external panels'],
    menu: 'externalPanels',
    group: 'supply',
    icon: 'link',
    draw: lazy(() => import('@/supply/external-panels/ExternalPanels')),
  },
  {
    path: '/external-panels/:id/:tab?',
    permissions: ['manage external panels'],
    draw: lazy(() => import('@/supply/external-panels/PanelPage')),
  },
  {
    path: '/held-changes',
    permissions: ['manage external panels'],
    menu: 'heldChanges',
    group: 'supply',
    icon: 'history',
    draw: lazy(() => import('@/supply/imports/Changes')),
  },
];
