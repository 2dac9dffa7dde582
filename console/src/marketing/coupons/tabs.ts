// The tabs of the coupons area.
import type { Tab } from '@/ui/Tabs';

export const COUPON_TABS: readonly Tab[] = [
  { name: '', label: 'coupons.title' },
  { name: 'statistics', label: 'coupons.statistics' },
];
