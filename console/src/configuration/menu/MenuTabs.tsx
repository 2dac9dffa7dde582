// The tabs of the "Menu and pages" screens.
import { Tabs } from '@/ui/Tabs';

const MENU_TABS = [
  { name: '', labelKey: 'menuPages.tabs.menu' },
  { name: 'items', labelKey: 'menuPages.tabs.items' },
  { name: 'custom', labelKey: 'menuPages.tabs.custom' },
  { name: 'pages', labelKey: 'menuPages.tabs.pages' },
];

export function MenuTabs({ currentTab }: { currentTab: '' | 'items' | 'custom' | 'pages' }) {
  return <Tabs baseUrl="/menu-and-pages" tabs={MENU_TABS} currentTab={currentTab} />;
}
