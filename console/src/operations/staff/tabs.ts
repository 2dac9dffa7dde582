// The tabs of the staff screen.
import type { Tab } from '@/ui/Tabs';

export const STAFF_TABS: readonly Tab[] = [
  { name: '', label: 'staff.title' },
  { name: 'roles', label: 'staff.roles' },
];
