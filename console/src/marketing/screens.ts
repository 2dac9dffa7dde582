// The screens of discounts, coupons, order widgets, special offers and banners.
import { lazy } from 'react';
import type { Screen } from '@/shell/screen';

export const MARKETING_SCREENS: readonly Screen[] = [
  {
    path: '/discounts',
    permissions: ['manage discounts'],
    menuLabel: 'discounts',
    menuGroup: 'marketing',
    icon: 'percentage',
    component: lazy(() => import('@/marketing/discounts/Discounts')),
  },
  {
    path: '/coupons',
    permissions: ['manage coupons'],
    menuLabel: 'coupons',
    menuGroup: 'marketing',
    icon: 'ticket',
    component: lazy(() => import('@/marketing/coupons/Coupons')),
  },
  {
    path: '/coupons/statistics',
    permissions: ['manage coupons'],
    component: lazy(() => import('@/marketing/coupons/Statistics')),
  },
  {
    path: '/order-widgets',
    permissions: ['manage order widgets'],
    menuLabel: 'orderWidgets',
    menuGroup: 'marketing',
    icon: 'window-maximize',
    component: lazy(() => import('@/marketing/widgets/OrderWidgets')),
  },
  {
    path: '/order-widgets/statistics',
    permissions: ['manage order widgets'],
    component: lazy(() => import('@/marketing/widgets/Statistics')),
  },
  {
    path: '/special-offers',
    permissions: ['manage discounts'],
    menuLabel: 'offers',
    menuGroup: 'marketing',
    icon: 'sparkles',
    component: lazy(() => import('@/marketing/offers/SpecialOffers')),
  },
  {
    path: '/special-offers/auto-promotion',
    permissions: ['manage panel settings'],
    component: lazy(() => import('@/marketing/offers/AutoPromotion')),
  },
  {
    path: '/banners',
    permissions: [],
    menuLabel: 'banners',
    menuGroup: 'marketing',
    icon: 'images',
    component: lazy(() => import('@/marketing/banners/Banners')),
  },
  { path: '/banners/:place', permissions: [], component: lazy(() => import('@/marketing/banners/BannerPage')) },
];
