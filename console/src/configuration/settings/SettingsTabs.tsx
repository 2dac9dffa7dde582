// The parts of the settings' screen.
import { Tabs } from '@/ui/Tabs';

const PARTS = [
  { name: '', label: 'settings.tabs.settings' },
  { name: 'notifications', label: 'settings.tabs.notifications' },
];

export function SettingsTabs({ now }: { now: '' | 'notifications' }) {
  return <Tabs base="/panel-settings" tabs={PARTS} current={now} />;
}
