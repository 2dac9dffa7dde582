// Declares the screens of the catalogue: services, targets, packages and the change log.
import { lazy } from 'react';
import type { Screen } from '@/shell/screen';

export const CATALOGUE_SCREENS: readonly Screen[] = [
  {
    path: '/services',
    permissions: ['view services'],
    menuLabel: 'services',
    menuGroup: 'catalogue',
    icon: 'tags',
    component: lazy(() => import('@/catalogue/Services')),
  },
  {
    path: '/services/create',
    permissions: ['manage services and providers'],
    component: lazy(() => import('@/catalogue/services/NewService')),
  },
  {
    path: '/services/labels',
    permissions: ['view services'],
    component: lazy(() => import('@/catalogue/labels/Labels')),
  },
  {
    path: '/services/types',
    permissions: ['view services', 'manage service types'],
    component: lazy(() => import('@/catalogue/networks/ServiceTypes')),
  },
  {
    path: '/services/positions',
    permissions: ['view services', 'manage service types'],
    component: lazy(() => import('@/catalogue/networks/Positions')),
  },
  {
    path: '/services/:id',
    permissions: ['view services'],
    component: lazy(() => import('@/catalogue/services/ServicePage')),
  },
  {
    path: '/targets',
    permissions: ['manage targets'],
    menuLabel: 'targets',
    menuGroup: 'catalogue',
    icon: 'question-circle',
    component: lazy(() => import('@/catalogue/targets/Targets')),
  },
  {
    path: '/targets/groups',
    permissions: ['view services'],
    component: lazy(() => import('@/catalogue/targets/CheckerGroups')),
  },
  {
    path: '/packages',
    permissions: ['manage packages'],
    menuLabel: 'packages',
    menuGroup: 'catalogue',
    icon: 'box',
    component: lazy(() => import('@/catalogue/packages/Packages')),
  },
  {
    path: '/packages/create',
    permissions: ['manage packages'],
    component: lazy(() => import('@/catalogue/packages/NewPackage')),
  },
  {
    path: '/packages/providers',
    permissions: ['manage packages', 'manage external panels'],
    component: lazy(() => import('@/catalogue/packages/ProviderPackages')),
  },
  {
    path: '/packages/:id',
    permissions: ['manage packages'],
    component: lazy(() => import('@/catalogue/packages/PackagePage')),
  },
  {
    path: '/change-logs',
    permissions: ['view change logs'],
    menuLabel: 'changeLogs',
    menuGroup: 'system',
    icon: 'history',
    component: lazy(() => import('@/catalogue/ChangeLog')),
  },
];
