// The tabs of the order widgets area.
import type { Tab } from '@/ui/Tabs';

export const WIDGET_TABS: readonly Tab[] = [
  { name: '', label: 'widgets.title' },
  { name: 'statistics', label: 'widgets.statistics' },
];
