// The tabs of the package screens: the packages of this panel, and the packages that external panels sell.
import { useMemo } from 'react';
import { useHasPermission } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const TABS = [
  { name: '', labelKey: 'packages.title', permissions: ['manage packages'] },
  {
    name: 'providers',
    labelKey: 'packages.external.title',
    permissions: ['manage packages', 'manage external panels'],
  },
] as const;

export function PackageTabs({ current }: { current: (typeof TABS)[number]['name'] }) {
  const hasPermission = useHasPermission();
  const tabs = useMemo(() => TABS.filter((tab) => hasPermission(...tab.permissions)), [hasPermission]);
  return <Tabs baseUrl="/packages" tabs={tabs} currentTab={current} />;
}
