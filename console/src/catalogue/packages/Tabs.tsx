// The tabs of the screens with packages: those of this panel, and those that external panels sell.
import { useMemo } from 'react';
import { useHasPermission } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const TABS = [
  { name: '', label: 'packages.title', permissions: ['manage packages'] },
  { name: 'providers', label: 'packages.provided.title', permissions: ['manage packages', 'manage external panels'] },
] as const;

export function PackageTabs({ current }: { current: (typeof TABS)[number]['name'] }) {
  const hasPermission = useHasPermission();
  const tabs = useMemo(() => TABS.filter((tab) => hasPermission(...tab.permissions)), [hasPermission]);
  return <Tabs baseUrl="/packages" tabs={tabs} current={current} />;
}
