// The parts of the order widgets' screen.
import type { Tab } from '@/ui/Tabs';

export const TABS: readonly Tab[] = [
  { name: '', label: 'widgets.title' },
  { name: 'statistics', label: 'widgets.statistics' },
];
