// The screens of the settings, the menu, the webhooks and the system status.
import { lazy } from 'react';
import type { Screen } from '@/shell/screen';

export const CONFIGURATION_SCREENS: readonly Screen[] = [
  {
    path: '/webhooks',
    permissions: ['manage webhooks'],
    menuLabel: 'webhooks',
    menuGroup: 'system',
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
    menuLabel: 'systemStatus',
    menuGroup: 'system',
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
    menuLabel: 'panelSettings',
    menuGroup: 'system',
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
    menuLabel: 'menuAndPages',
    menuGroup: 'system',
    icon: 'bars',
    component: lazy(() => import('@/configuration/menu/MenuEditor')),
  },
  {
    path: '/menu-and-pages/items',
    permissions: ['manage panel settings'],
    component: lazy(() => import('@/configuration/menu/MenuItems')),
  },
  {
    path: '/menu-and-pages/custom',
    permissions: ['manage panel settings'],
    component: lazy(() => import('@/configuration/menu/CustomItems')),
  },
  {
    path: '/menu-and-pages/pages',
    permissions: ['manage panel settings'],
    component: lazy(() => import('@/configuration/menu/Pages')),
  },
];
