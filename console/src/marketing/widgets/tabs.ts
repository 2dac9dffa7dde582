// The tabs of the order widget screens.
import type { Tab } from '@/ui/Tabs';

export const WIDGET_TABS: readonly Tab[] = [
  { name: '', labelKey: 'widgets.title' },
  { name: 'statistics', labelKey: 'widgets.statistics' },
];
