// Keeps the browser preferences when the user signs out, because the response header `Clear-Site-Data` clears the local storage.
// The preferences are not personal data.
import { SHORTCUTS_DISABLED_STORAGE_KEY } from '@/table/useTableShortcuts';

const PREFERENCE_KEYS = ['panel.theme', 'panel.locale', 'panel.density', SHORTCUTS_DISABLED_STORAGE_KEY];

/** Reads the preferences, and returns a function that restores them. */
export function backUpPreferences(): () => void {
  const values = PREFERENCE_KEYS.map((key) => [key, localStorage.getItem(key)] as const);
  return () => {
    for (const [key, value] of values) if (value !== null) localStorage.setItem(key, value);
  };
}
