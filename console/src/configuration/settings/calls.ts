// The panel's settings as their screen needs them: what each is, what it holds, and what was changed.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type SettingField = Schemas['SettingField'];
export type Group = SettingField['group'];
export type Tree = Record<string, unknown>;
/** What was changed and is not saved, by place. */
export type Changes = Readonly<Record<string, unknown>>;

export interface Settings {
  data: Tree;
  fields: readonly SettingField[];
}

export const KEY = ['panel-settings'];
const PATH = '/api/v1/admin/settings';

export function useSettings() {
  return useQuery({ queryKey: KEY, queryFn: read, staleTime: 0, refetchOnWindowFocus: false });
}

export async function read(): Promise<Settings> {
  return (await unwrap(api.GET(PATH))) as unknown as Settings;
}

export async function save(changes: Changes, readAt: unknown): Promise<Settings> {
  // A place such as `colors.dark.primary` may be named whole.
  const body = { ...changes, updated_at: readAt } as unknown as Schemas['SettingsTree'];
  return (await unwrap(api.POST(PATH, { body, params: {} }))) as unknown as Settings;
}

/** What stands at a place. */
export function at(tree: Tree, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], tree);
}

/** With one value changed; one that is as it was is no change. */
export function withChange(changes: Changes, tree: Tree, key: string, value: unknown): Changes {
  const { [key]: _, ...others } = changes;
  return isSame(value, at(tree, key)) ? others : { ...others, [key]: value };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What was changed here and, since `base` was read, by another person too, and what it is now. */
export function clashesOf(changes: Changes, base: Tree, newer: Tree): Changes {
  const both = Object.entries(changes).filter(
    ([key, value]) => !isSame(at(base, key), at(newer, key)) && !isSame(at(newer, key), value),
  );
  return Object.fromEntries(both.map(([key]) => [key, at(newer, key)]));
}

/** Without what is so already. */
export const without = (changes: Changes, same: (key: string) => unknown): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([key, value]) => !isSame(value, same(key))));

/** Whether a setting is found by what was typed, by its place or its words. */
export function matches(words: string, ...texts: readonly string[]): boolean {
  const all = texts.join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
