// All screens, in the order of the menu. A new screen is added to the file `screens.ts` of its area.
import { lazy } from 'react';
import { CATALOGUE } from '@/catalogue/screens';
import { CONFIGURATION } from '@/configuration/screens';
import { MARKETING } from '@/marketing/screens';
import { OPERATIONS } from '@/operations/screens';
import { SUPPLY } from '@/supply/screens';
import type { Screen } from './screen';

export const SCREENS: readonly Screen[] = [
  { path: '/', permissions: [], menu: 'home', icon: 'home', component: lazy(() => import('@/home/Home')) },
  ...OPERATIONS,
  ...CATALOGUE,
  ...SUPPLY,
  ...MARKETING,
  ...CONFIGURATION,
  { path: '/profile/:tab?', permissions: [], component: lazy(() => import('@/profile/Profile')) },
];

/** Old paths, and the paths that have replaced them. */
export const REDIRECTS: Readonly<Record<string, string>> = { '/finances': '/transactions' };
