// The tabs of the providers screen: the list and the report.
import { Tabs } from '@/ui/Tabs';

const PROVIDER_TABS = [
  { name: '', label: 'providers.title' },
  { name: 'report', label: 'providers.report.title' },
] as const;

export function ProviderTabs({ currentTab }: { currentTab: (typeof PROVIDER_TABS)[number]['name'] }) {
  return <Tabs baseUrl="/providers" tabs={PROVIDER_TABS} current={currentTab} />;
}
