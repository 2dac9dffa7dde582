// The tabs of the screens with targets and checker groups.
import { useMemo } from 'react';
import { useHasPermission } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const TABS = [
  { name: '', labelKey: 'targets.title', permissions: ['manage targets'] },
  { name: 'groups', labelKey: 'targets.groups.title', permissions: ['view services'] },
] as const;

export function TargetTabs({ current }: { current: (typeof TABS)[number]['name'] }) {
  const hasPermission = useHasPermission();
  const tabs = useMemo(() => TABS.filter((tab) => hasPermission(...tab.permissions)), [hasPermission]);
  return <Tabs baseUrl="/targets" tabs={tabs} currentTab={current} />;
}
