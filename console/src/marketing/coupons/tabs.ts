// The tabs of the coupon screens.
import type { Tab } from '@/ui/Tabs';

export const COUPON_TABS: readonly Tab[] = [
  { name: '', labelKey: 'coupons.title' },
  { name: 'statistics', labelKey: 'coupons.statistics' },
];
