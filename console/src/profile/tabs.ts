// The tabs on the page of the user's own profile.
import type { Tab } from '@/ui/Tabs';

export const PROFILE_TABS: readonly Tab[] = [
  { name: 'details', labelKey: 'profile.details' },
  { name: 'sessions', labelKey: 'profile.sessions' },
  { name: 'password', labelKey: 'session.password' },
  { name: 'second-factor', labelKey: 'secondFactor.title' },
];
