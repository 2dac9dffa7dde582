// The texts of a record in all languages, which a form stores as one value: the JSON of the API, locale → name of the text → text.

export type Texts = Partial<Record<string, Partial<Record<string, string>>>>;

export const parseTexts = (value: string): Texts => (value ? JSON.parse(value) : {});

/** Returns a copy in which the text is changed. It has neither empty texts nor languages without texts. */
export function setText(texts: Texts, locale: string, name: string, text: string): Texts {
  const { [name]: _, ...otherTexts } = texts[locale] ?? {};
  const { [locale]: __, ...otherLocales } = texts;
  const localeTexts = text ? { ...otherTexts, [name]: text } : otherTexts;
  return Object.keys(localeTexts).length > 0 ? { ...otherLocales, [locale]: localeTexts } : otherLocales;
}

export type Completeness = 'none' | 'some' | 'all';

/** Whether a language has all, some or none of the texts that English has. */
export function completenessOf(texts: Texts, names: readonly string[], locale: string): Completeness {
  const has = (code: string, name: string) => Boolean(texts[code]?.[name]?.trim());
  if (!names.some((name) => has(locale, name))) return 'none';
  const requiredNames = names.filter((name) => has('en', name));
  return requiredNames.every((name) => has(locale, name)) ? 'all' : 'some';
}

/** The English texts, by name, that are missing in a language. */
export function missingTexts(texts: Texts, names: readonly string[], locale: string): Record<string, string> {
  const isMissing = (name: string) => texts.en?.[name]?.trim() && !texts[locale]?.[name]?.trim();
  return Object.fromEntries(names.filter((name) => isMissing(name)).map((name) => [name, texts.en?.[name] ?? '']));
}

/** Returns a copy in which the missing texts of a language have the values of `translations`. Existing texts stay. */
export function fillMissing(texts: Texts, locale: string, translations: Readonly<Record<string, string>>): Texts {
  const missingEntries = Object.entries(translations).filter(([name]) => !texts[locale]?.[name]?.trim());
  return missingEntries.reduce((result, [name, text]) => setText(result, locale, name, text), texts);
}
