// The parts of the packages' screen: ours, and what external panels sell.
import { useMemo } from 'react';
import { useMay } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const PARTS = [
  { name: '', label: 'packages.title', permissions: ['manage packages'] },
  { name: 'providers', label: 'packages.provided.title', permissions: ['manage packages', 'manage external panels'] },
] as const;

export function PackageTabs({ now }: { now: (typeof PARTS)[number]['name'] }) {
  const may = useMay();
  const parts = useMemo(() => PARTS.filter((part) => may(...part.permissions)), [may]);
  return <Tabs base="/packages" tabs={parts} now={now} />;
}
