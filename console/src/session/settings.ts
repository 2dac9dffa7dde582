// The panel's public data: its name, its currency, how to reach its live channel. Read before the first screen.
import { createContext, use } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';

export type PublicSettings = Schemas['PublicSettings'];

export const Settings = createContext<PublicSettings | null>(null);

export function useSettings(): PublicSettings {
  const settings = use(Settings);
  if (!settings) throw new Error('Settings are read before anything is drawn.');
  return settings;
}

export async function readSettings(): Promise<PublicSettings> {
  return (await unwrap(api.GET('/settings'))).data;
}
