// The tabs of the "Menu and pages" area.
import { Tabs } from '@/ui/Tabs';

const MENU_TABS = [
  { name: '', label: 'menuPages.tabs.menu' },
  { name: 'items', label: 'menuPages.tabs.items' },
  { name: 'custom', label: 'menuPages.tabs.custom' },
  { name: 'pages', label: 'menuPages.tabs.pages' },
];

export function MenuTabs({ currentTab }: { currentTab: '' | 'items' | 'custom' | 'pages' }) {
  return <Tabs baseUrl="/menu-and-pages" tabs={MENU_TABS} current={currentTab} />;
}
