// The tabs of the settings screens.
import { Tabs } from '@/ui/Tabs';

const SETTINGS_TABS = [
  { name: '', labelKey: 'settings.tabs.settings' },
  { name: 'notifications', labelKey: 'settings.tabs.notifications' },
];

export function SettingsTabs({ currentTab }: { currentTab: '' | 'notifications' }) {
  return <Tabs baseUrl="/panel-settings" tabs={SETTINGS_TABS} currentTab={currentTab} />;
}
