// The tabs of the catalogue: services, service types, labels and positions.
import { useMemo } from 'react';
import { useHasPermission } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const TABS = [
  { name: '', labelKey: 'services.tabs.services', permissions: ['view services'] },
  { name: 'types', labelKey: 'services.tabs.types', permissions: ['view services', 'manage service types'] },
  { name: 'labels', labelKey: 'services.tabs.labels', permissions: ['view services'] },
  { name: 'positions', labelKey: 'services.tabs.positions', permissions: ['view services', 'manage service types'] },
] as const;

export function CatalogueTabs({ current }: { current: (typeof TABS)[number]['name'] }) {
  const hasPermission = useHasPermission();
  const tabs = useMemo(() => TABS.filter((tab) => hasPermission(...tab.permissions)), [hasPermission]);
  return <Tabs baseUrl="/services" tabs={tabs} currentTab={current} />;
}
