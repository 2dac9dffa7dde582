// The parts of the targets' screen: targets, and the groups of checks that addresses go through.
import { useMemo } from 'react';
import { useMay } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const PARTS = [
  { name: '', label: 'targets.title', permissions: ['manage targets'] },
  { name: 'groups', label: 'targets.groups.title', permissions: ['view services'] },
] as const;

export function TargetTabs({ now }: { now: (typeof PARTS)[number]['name'] }) {
  const may = useMay();
  const parts = useMemo(() => PARTS.filter((part) => may(...part.permissions)), [may]);
  return <Tabs base="/targets" tabs={parts} now={now} />;
}
