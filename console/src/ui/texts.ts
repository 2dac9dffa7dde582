// Texts by language as one value of a form: JSON as the API takes it, locale → text → words.

export type Texts = Partial<Record<string, Partial<Record<string, string>>>>;

export const textsOf = (value: string): Texts => (value ? JSON.parse(value) : {});

/** With one text in its place; an empty one, and a language without any, are left out. */
export function withText(all: Texts, locale: string, name: string, text: string): Texts {
  const { [name]: _, ...others } = all[locale] ?? {};
  const { [locale]: __, ...rest } = all;
  const now = text ? { ...others, [name]: text } : others;
  return Object.keys(now).length > 0 ? { ...rest, [locale]: now } : rest;
}

export type Completeness = 'none' | 'some' | 'all';

/** How much of a language is written, of the texts that English has. */
export function completeness(all: Texts, names: readonly string[], locale: string): Completeness {
  const has = (code: string, name: string) => Boolean(all[code]?.[name]?.trim());
  if (!names.some((name) => has(locale, name))) return 'none';
  const wanted = names.filter((name) => has('en', name));
  return wanted.every((name) => has(locale, name)) ? 'all' : 'some';
}

/** What a language lacks of what English says. */
export function missing(all: Texts, names: readonly string[], locale: string): Record<string, string> {
  const lacks = (name: string) => all.en?.[name]?.trim() && !all[locale]?.[name]?.trim();
  return Object.fromEntries(names.filter((name) => lacks(name)).map((name) => [name, all.en?.[name] ?? '']));
}

/** With texts where there are none; nothing that is written is written over. */
export function filled(all: Texts, locale: string, texts: Readonly<Record<string, string>>): Texts {
  const free = Object.entries(texts).filter(([name]) => !all[locale]?.[name]?.trim());
  return free.reduce((all, [name, text]) => withText(all, locale, name, text), all);
}
