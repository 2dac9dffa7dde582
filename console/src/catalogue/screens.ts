// Screens of what is sold.
import { lazy } from 'react';
import type { Screen } from '@/shell/screen';

export const CATALOGUE: readonly Screen[] = [
  {
    path: '/services',
    permissions: ['view services'],
    menu: 'services',
    group: 'catalogue',
    icon: 'tags',
    draw: lazy(() => import('@/catalogue/Services')),
  },
  {
    path: '/services/create',
    permissions: ['manage services and providers'],
    draw: lazy(() => import('@/catalogue/services/Create')),
  },
  {
    path: '/services/labels',
    permissions: ['view services'],
    draw: lazy(() => import('@/catalogue/labels/Labels')),
  },
  {
    path: '/services/types',
    permissions: ['view services', 'manage service types'],
    draw: lazy(() => import('@/catalogue/networks/ServiceTypes')),
  },
  {
    path: '/services/positions',
    permissions: ['view services', 'manage service types'],
    draw: lazy(() => import('@/catalogue/networks/Positions')),
  },
  {
    path: '/services/:id',
    permissions: ['view services'],
    draw: lazy(() => import('@/catalogue/services/Editor')),
  },
  {
    path: '/targets',
    permissions: ['manage targets'],
    menu: 'targets',
    group: 'catalogue',
    icon: 'question-circle',
    draw: lazy(() => import('@/catalogue/targets/Targets')),
  },
  {
    path: '/targets/groups',
    permissions: ['view services'],
    draw: lazy(() => import('@/catalogue/targets/Groups')),
  },
  {
    path: '/packages',
    permissions: ['manage packages'],
    menu: 'packages',
    group: 'catalogue',
    icon: 'box',
    draw: lazy(() => import('@/catalogue/packages/Packages')),
  },
  {
    path: '/packages/create',
    permissions: ['manage packages'],
    draw: lazy(() => import('@/catalogue/packages/Create')),
  },
  {
    path: '/packages/providers',
    permissions: ['manage packages', 'manage external panels'],
    draw: lazy(() => import('@/catalogue/packages/Provided')),
  },
  {
    path: '/packages/:id',
    permissions: ['manage packages'],
    draw: lazy(() => import('@/catalogue/packages/Editor')),
  },
  {
    path: '/change-logs',
    permissions: ['view change logs'],
    menu: 'changeLogs',
    group: 'system',
    icon: 'history',
    draw: lazy(() => import('@/catalogue/ChangeLog')),
  },
];
