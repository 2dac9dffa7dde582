// The tabs of the provider screens: the list and the report.
import { Tabs } from '@/ui/Tabs';

const PROVIDER_TABS = [
  { name: '', labelKey: 'providers.title' },
  { name: 'report', labelKey: 'providers.report.title' },
] as const;

export function ProviderTabs({ currentTab }: { currentTab: (typeof PROVIDER_TABS)[number]['name'] }) {
  return <Tabs baseUrl="/providers" tabs={PROVIDER_TABS} currentTab={currentTab} />;
}
