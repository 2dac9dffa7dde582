// The parts of the special offers' screen; the auto-promotion is a matter of the panel's settings.
import { useMemo } from 'react';
import { useHasPermission } from '@/session/hooks';
import { Tabs } from '@/ui/Tabs';

const PARTS = [
  { name: '', label: 'offers.title', permission: 'manage discounts' },
  { name: 'auto-promotion', label: 'promotion.title', permission: 'manage panel settings' },
] as const;

export function OfferTabs({ now }: { now: (typeof PARTS)[number]['name'] }) {
  const may = useHasPermission();
  const parts = useMemo(() => PARTS.filter((part) => may(part.permission)), [may]);
  return <Tabs base="/special-offers" tabs={parts} current={now} />;
}
