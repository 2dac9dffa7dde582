// Screens of the configuration area: settings, menu, webhooks and the state of the system.
import { lazy } from 'react';
import type { Screen } from '@/shell/screen';

export const CONFIGURATION: readonly Screen[] = [
  {
    path: '/webhooks',
    permissions: ['manage webhooks'],
    menu: 'webhooks',
    group: 'system',
    icon: 'send',
    component: lazy(() => import('@/configuration/webhooks/Webhooks')),
  },
  {
    path: '/webhooks/:id',
    permissions: ['manage webhooks'],
    component: lazy(() => import('@/configuration/webhooks/WebhookPage')),
  },
  {
    path: '/system-status',
    permissions: ['manage panel settings'],
    menu: 'systemStatus',
    group: 'system',
    icon: 'server',
    component: lazy(() => import('@/configuration/system/SystemStatus')),
  },
  {
    path: '/system-status/quarantine',
    permissions: ['manage panel settings'],
    component: lazy(() => import('@/configuration/system/Quarantine')),
  },
  {
    path: '/panel-settings',
    permissions: ['manage panel settings'],
    menu: 'panelSettings',
    group: 'system',
    icon: 'cog',
    component: lazy(() => import('@/configuration/settings/Settings')),
  },
  {
    path: '/panel-settings/notifications',
    permissions: ['manage panel settings'],
    component: lazy(() => import('@/configuration/settings/Notifications')),
  },
  {
    path: '/menu-and-pages',
    permissions: ['manage panel settings'],
    menu: 'menuAndPages',
    group: 'system',
    icon: 'bars',
    component: lazy(() => import('@/configuration/menu/Menu')),
  },
  {
    path: '/menu-and-pages/items',
    permissions: ['manage panel settings'],
    component: lazy(() => import('@/configuration/menu/Items')),
  },
  {
    path: '/menu-and-pages/custom',
    permissions: ['manage panel settings'],
    component: lazy(() => import('@/configuration/menu/Custom')),
  },
  {
    path: '/menu-and-pages/pages',
    permissions: ['manage panel settings'],
    component: lazy(() => import('@/configuration/menu/Pages')),
  },
];
