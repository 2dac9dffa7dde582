// The tabs of the catalogue: services, service types, labels and positions.
import { useMemo } from 'react';
import { useHasPermission } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const TABS = [
  { name: '', label: 'services.tabs.services', permissions: ['view services'] },
  { name: 'types', label: 'services.tabs.types', permissions: ['view services', 'manage service types'] },
  { name: 'labels', label: 'services.tabs.labels', permissions: ['view services'] },
  { name: 'positions', label: 'services.tabs.positions', permissions: ['view services', 'manage service types'] },
] as const;

export function CatalogueTabs({ current }: { current: (typeof TABS)[number]['name'] }) {
  const hasPermission = useHasPermission();
  const tabs = useMemo(() => TABS.filter((tab) => hasPermission(...tab.permissions)), [hasPermission]);
  return <Tabs baseUrl="/services" tabs={tabs} current={current} />;
}
