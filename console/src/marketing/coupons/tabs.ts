// The parts of the coupons' screen.
import type { Tab } from '@/ui/Tabs';

export const TABS: readonly Tab[] = [
  { name: '', label: 'coupons.title' },
  { name: 'statistics', label: 'coupons.statistics' },
];
