// All screens, in the order of the menu. A new screen is added to the file `screens.ts` of its area.
import { lazy } from 'react';
import { CATALOGUE_SCREENS } from '@/catalogue/screens';
import { CONFIGURATION_SCREENS } from '@/configuration/screens';
import { MARKETING_SCREENS } from '@/marketing/screens';
import { OPERATIONS_SCREENS } from '@/operations/screens';
import { SUPPLY_SCREENS } from '@/supply/screens';
import type { Screen } from './screen';

export const SCREENS: readonly Screen[] = [
  { path: '/', permissions: [], menuLabel: 'home', icon: 'home', component: lazy(() => import('@/home/Home')) },
  ...OPERATIONS_SCREENS,
  ...CATALOGUE_SCREENS,
  ...SUPPLY_SCREENS,
  ...MARKETING_SCREENS,
  ...CONFIGURATION_SCREENS,
  { path: '/profile/:tab?', permissions: [], component: lazy(() => import('@/profile/Profile')) },
];

/** Old paths, and the paths that have replaced them. */
export const REDIRECTS: Readonly<Record<string, string>> = { '/finances': '/transactions' };
