// The tabs on the page of the user's own profile.
import type { Tab } from '@/ui/Tabs';

export const PROFILE_TABS: readonly Tab[] = [
  { name: 'details', label: 'profile.details' },
  { name: 'sessions', label: 'profile.sessions' },
  { name: 'password', label: 'session.password' },
  { name: 'second-factor', label: 'secondFactor.title' },
];
