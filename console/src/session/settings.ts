// The public settings of the panel, such as its name and its currency. They are loaded before the first screen, also for visitors
// who are not signed in.
import { createContext, use } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';

export type PublicSettings = Schemas['PublicSettings'];

export const SettingsContext = createContext<PublicSettings | null>(null);

export function useSettings(): PublicSettings {
  const settings = use(SettingsContext);
  if (!settings) throw new Error('The public settings must be loaded before the first render.');
  return settings;
}

export async function fetchSettings(): Promise<PublicSettings> {
  return (await unwrap(api.GET('/settings'))).data;
}
