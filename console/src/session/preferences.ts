// Keeps the browser preferences over the sign-out, when `Clear-Site-Data` clears the storage. They are not personal data.
import { SHORTCUTS_OFF_KEY } from '@/table/useTableShortcuts';

const PREFERENCE_KEYS = ['panel.theme', 'panel.locale', 'panel.density', SHORTCUTS_OFF_KEY];

/** Reads the preferences, and returns a function that restores them. */
export function backUpPreferences(): () => void {
  const values = PREFERENCE_KEYS.map((key) => [key, localStorage.getItem(key)] as const);
  return () => {
    for (const [key, value] of values) if (value !== null) localStorage.setItem(key, value);
  };
}
