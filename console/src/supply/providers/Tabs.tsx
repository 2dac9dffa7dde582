// The parts of the providers' screen: who they are, and how well they do.
import { Tabs } from '@/ui/Tabs';

const PARTS = [
  { name: '', label: 'providers.title' },
  { name: 'report', label: 'providers.report.title' },
] as const;

export function ProviderTabs({ now }: { now: (typeof PARTS)[number]['name'] }) {
  return <Tabs base="/providers" tabs={PARTS} current={now} />;
}
