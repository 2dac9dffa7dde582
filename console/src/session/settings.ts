// The public settings of the panel, such as its name, its currency and its live channel. They are loaded before the first screen.
import { createContext, use } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';

export type PublicSettings = Schemas['PublicSettings'];

export const SettingsContext = createContext<PublicSettings | null>(null);

export function useSettings(): PublicSettings {
  const settings = use(SettingsContext);
  if (!settings) throw new Error('Settings must be loaded before anything renders.');
  return settings;
}

export async function fetchSettings(): Promise<PublicSettings> {
  return (await unwrap(api.GET('/settings'))).data;
}
