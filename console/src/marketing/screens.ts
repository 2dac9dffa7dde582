// Screens of what sells it.
import { lazy } from 'react';
import type { Screen } from '@/shell/screen';

export const MARKETING: readonly Screen[] = [
  {
    path: '/discounts',
    permissions: ['manage discounts'],
    menu: 'discounts',
    group: 'marketing',
    icon: 'percentage',
    draw: lazy(() => import('@/marketing/discounts/Discounts')),
  },
  {
    path: '/coupons',
    permissions: ['manage coupons'],
    menu: 'coupons',
    group: 'marketing',
    icon: 'ticket',
    draw: lazy(() => import('@/marketing/coupons/Coupons')),
  },
  {
    path: '/coupons/statistics',
    permissions: ['manage coupons'],
    draw: lazy(() => import('@/marketing/coupons/Statistics')),
  },
  {
    path: '/order-widgets',
    permissions: ['manage order widgets'],
    menu: 'orderWidgets',
    group: 'marketing',
    icon: 'window-maximize',
    draw: lazy(() => import('@/marketing/widgets/OrderWidgets')),
  },
  {
    path: '/order-widgets/statistics',
    permissions: ['manage order widgets'],
    draw: lazy(() => import('@/marketing/widgets/Statistics')),
  },
  {
    path: '/special-offers',
    permissions: ['manage discounts'],
    menu: 'offers',
    group: 'marketing',
    icon: 'sparkles',
    draw: lazy(() => import('@/marketing/offers/SpecialOffers')),
  },
  {
    path: '/special-offers/auto-promotion',
    permissions: ['manage panel settings'],
    draw: lazy(() => import('@/marketing/offers/AutoPromotion')),
  },
  {
    path: '/banners',
    permissions: [],
    menu: 'banners',
    group: 'marketing',
    icon: 'images',
    draw: lazy(() => import('@/marketing/banners/Banners')),
  },
  { path: '/banners/:place', permissions: [], draw: lazy(() => import('@/marketing/banners/Editor')) },
];
