// The API requests for the settings, and the functions on the unsaved changes of the settings page.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type SettingField = Schemas['SettingField'];
export type GroupName = SettingField['group'];
export type SettingsTree = Record<string, unknown>;
/** Unsaved values by the key of the setting, such as `colors.dark.primary`. */
export type SettingChanges = Readonly<Record<string, unknown>>;

export interface Settings {
  data: SettingsTree;
  fields: readonly SettingField[];
}

export const SETTINGS_QUERY_KEY = ['panel-settings'];
const SETTINGS_PATH = '/api/v1/admin/settings';

export function useSettings() {
  return useQuery({ queryKey: SETTINGS_QUERY_KEY, queryFn: fetchSettings, staleTime: 0, refetchOnWindowFocus: false });
}

export async function fetchSettings(): Promise<Settings> {
  return (await unwrap(api.GET(SETTINGS_PATH))) as unknown as Settings;
}

/** Saves changes. The server rejects the change of a setting that another user has changed after `updatedAt`. */
export async function saveSettings(changes: SettingChanges, updatedAt: unknown): Promise<Settings> {
  // The server accepts dotted keys as well as nested objects.
  const body = { ...changes, updated_at: updatedAt } as unknown as Schemas['SettingsTree'];
  return (await unwrap(api.POST(SETTINGS_PATH, { body, params: {} }))) as unknown as Settings;
}

/** Returns the value of a setting by its dotted key, such as `colors.dark.primary`. */
export function getSettingValue(tree: SettingsTree, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], tree);
}

/** Adds the change of a setting. If `value` is the saved value, removes the change instead. */
export function applyChange(
  changes: SettingChanges,
  savedSettings: SettingsTree,
  key: string,
  value: unknown,
): SettingChanges {
  const { [key]: _, ...otherChanges } = changes;
  return isEqual(value, getSettingValue(savedSettings, key)) ? otherChanges : { ...otherChanges, [key]: value };
}

const isEqual = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

/**
 * Returns the current values of the settings that the user has changed, and that another user has saved with another value after
 * `baseSettings` were loaded.
 */
export function findConflicts(
  changes: SettingChanges,
  baseSettings: SettingsTree,
  currentSettings: SettingsTree,
): SettingChanges {
  const conflictingChanges = Object.entries(changes).filter(
    ([key, value]) =>
      !isEqual(getSettingValue(baseSettings, key), getSettingValue(currentSettings, key)) &&
      !isEqual(getSettingValue(currentSettings, key), value),
  );
  return Object.fromEntries(conflictingChanges.map(([key]) => [key, getSettingValue(currentSettings, key)]));
}

/** Removes the changes whose value equals the saved value. */
export const removeEqualValues = (changes: SettingChanges, getSavedValue: (key: string) => unknown): SettingChanges =>
  Object.fromEntries(Object.entries(changes).filter(([key, value]) => !isEqual(value, getSavedValue(key))));

/** Whether every word of the search occurs in at least one of the texts. */
export function matchesSearch(search: string, ...texts: readonly string[]): boolean {
  const searchedText = texts.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searchedText.includes(word));
}
