// The parts of the screen of the menu and pages.
import { Tabs } from '@/ui/Tabs';

const PARTS = [
  { name: '', label: 'menuPages.tabs.menu' },
  { name: 'items', label: 'menuPages.tabs.items' },
  { name: 'custom', label: 'menuPages.tabs.custom' },
  { name: 'pages', label: 'menuPages.tabs.pages' },
];

export function MenuTabs({ now }: { now: '' | 'items' | 'custom' | 'pages' }) {
  return <Tabs base="/menu-and-pages" tabs={PARTS} current={now} />;
}
