// What this browser prefers is no personal data: it survives the sign-out, at which the server has everything else cleared.
import { KEYS_OFF } from '@/table/useTableKeys';

const PREFERENCES = ['panel.theme', 'panel.locale', 'panel.density', KEYS_OFF];

/** Reads the preferences; the answer writes them again. */
export function holdPreferences(): () => void {
  const held = PREFERENCES.map((key) => [key, localStorage.getItem(key)] as const);
  return () => {
    for (const [key, value] of held) if (value !== null) localStorage.setItem(key, value);
  };
}
