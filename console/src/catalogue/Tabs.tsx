// The parts of the catalogue's screen: services, and what they stand in.
import { useMemo } from 'react';
import { useMay } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const PARTS = [
  { name: '', label: 'services.tabs.services', permissions: ['view services'] },
  { name: 'types', label: 'services.tabs.types', permissions: ['view services', 'manage service types'] },
  { name: 'labels', label: 'services.tabs.labels', permissions: ['view services'] },
  { name: 'positions', label: 'services.tabs.positions', permissions: ['view services', 'manage service types'] },
] as const;

export function CatalogueTabs({ now }: { now: (typeof PARTS)[number]['name'] }) {
  const may = useMay();
  const parts = useMemo(() => PARTS.filter((part) => may(...part.permissions)), [may]);
  return <Tabs base="/services" tabs={parts} now={now} />;
}
