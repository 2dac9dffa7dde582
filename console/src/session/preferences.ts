// Browser preferences are not personal data: they survive the sign-out, at which `Clear-Site-Data` clears the storage.
import { KEYS_OFF } from '@/table/useTableKeys';

const PREFERENCES = ['panel.theme', 'panel.locale', 'panel.density', KEYS_OFF];

/** Reads the preferences, and returns a function that restores them. */
export function backUpPreferences(): () => void {
  const values = PREFERENCES.map((key) => [key, localStorage.getItem(key)] as const);
  return () => {
    for (const [key, value] of values) if (value !== null) localStorage.setItem(key, value);
  };
}
