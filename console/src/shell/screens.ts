// Every screen. A new one is a row in its wing's `screens.ts`; the menu has them in this order.
import { lazy } from 'react';
import { CATALOGUE } from '@/catalogue/screens';
import { CONFIGURATION } from '@/configuration/screens';
import { MARKETING } from '@/marketing/screens';
import { OPERATIONS } from '@/operations/screens';
import { SUPPLY } from '@/supply/screens';
import type { Screen } from './screen';

export const SCREENS: readonly Screen[] = [
  { path: '/', permissions: [], menu: 'home', icon: 'home', draw: lazy(() => import('@/home/Home')) },
  ...OPERATIONS,
  ...CATALOGUE,
  ...SUPPLY,
  ...MARKETING,
  ...CONFIGURATION,
  { path: '/profile/:tab?', permissions: [], draw: lazy(() => import('@/profile/Profile')) },
];

/** Paths of old links. */
export const MOVED: Readonly<Record<string, string>> = { '/finances': '/transactions' };
