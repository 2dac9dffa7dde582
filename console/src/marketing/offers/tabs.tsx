// The tabs of the special offer screens. The tab of the auto-promotion requires the permission for panel settings.
import { useMemo } from 'react';
import { useHasPermission } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const OFFER_TABS = [
  { name: '', labelKey: 'offers.title', permission: 'manage discounts' },
  { name: 'auto-promotion', labelKey: 'promotion.title', permission: 'manage panel settings' },
] as const;

export function OfferTabs({ currentTab }: { currentTab: (typeof OFFER_TABS)[number]['name'] }) {
  const hasPermission = useHasPermission();
  const tabs = useMemo(() => OFFER_TABS.filter((tab) => hasPermission(tab.permission)), [hasPermission]);
  return <Tabs baseUrl="/special-offers" tabs={tabs} currentTab={currentTab} />;
}
