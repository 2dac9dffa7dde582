// The tabs of the staff screen.
import type { Tab } from '@/ui/Tabs';

export const STAFF_TABS: readonly Tab[] = [
  { name: '', labelKey: 'staff.title' },
  { name: 'roles', labelKey: 'staff.roles' },
];
