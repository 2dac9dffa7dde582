// Texts by language as one form value: the JSON of the API, locale → name of the text → text.

export type Texts = Partial<Record<string, Partial<Record<string, string>>>>;

export const parseTexts = (value: string): Texts => (value ? JSON.parse(value) : {});

/** A copy with one text set. Empty texts and languages without texts are removed. */
export function setText(all: Texts, locale: string, name: string, text: string): Texts {
  const { [name]: _, ...others } = all[locale] ?? {};
  const { [locale]: __, ...rest } = all;
  const now = text ? { ...others, [name]: text } : others;
  return Object.keys(now).length > 0 ? { ...rest, [locale]: now } : rest;
}

export type Completeness = 'none' | 'some' | 'all';

/** Whether a language has all, some or none of the texts that English has. */
export function completeness(all: Texts, names: readonly string[], locale: string): Completeness {
  const has = (code: string, name: string) => Boolean(all[code]?.[name]?.trim());
  if (!names.some((name) => has(locale, name))) return 'none';
  const required = names.filter((name) => has('en', name));
  return required.every((name) => has(locale, name)) ? 'all' : 'some';
}

/** The English texts that a language lacks. */
export function missingTexts(all: Texts, names: readonly string[], locale: string): Record<string, string> {
  const lacks = (name: string) => all.en?.[name]?.trim() && !all[locale]?.[name]?.trim();
  return Object.fromEntries(names.filter((name) => lacks(name)).map((name) => [name, all.en?.[name] ?? '']));
}

/** A copy with missing texts filled in; existing texts are not overwritten. */
export function fillMissing(all: Texts, locale: string, texts: Readonly<Record<string, string>>): Texts {
  const missing = Object.entries(texts).filter(([name]) => !all[locale]?.[name]?.trim());
  return missing.reduce((all, [name, text]) => setText(all, locale, name, text), all);
}
