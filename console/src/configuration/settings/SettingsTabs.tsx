// The tabs of the settings area.
import { Tabs } from '@/ui/Tabs';

const SETTINGS_TABS = [
  { name: '', label: 'settings.tabs.settings' },
  { name: 'notifications', label: 'settings.tabs.notifications' },
];

export function SettingsTabs({ currentTab }: { currentTab: '' | 'notifications' }) {
  return <Tabs baseUrl="/panel-settings" tabs={SETTINGS_TABS} current={currentTab} />;
}
