// The texts of a record in all languages. A form stores them as one value, the JSON of the API: { locale: { name: text } }.

export type Texts = Partial<Record<string, Partial<Record<string, string>>>>;

export const parseTexts = (value: string): Texts => (value ? JSON.parse(value) : {});

/** Returns a copy in which one text is changed. Empty texts and languages without texts are removed from the copy. */
export function setText(texts: Texts, locale: string, name: string, text: string): Texts {
  const { [name]: _, ...otherTexts } = texts[locale] ?? {};
  const { [locale]: __, ...otherLocales } = texts;
  const localeTexts = text ? { ...otherTexts, [name]: text } : otherTexts;
  return Object.keys(localeTexts).length > 0 ? { ...otherLocales, [locale]: localeTexts } : otherLocales;
}

export type TranslationStatus = 'missing' | 'incomplete' | 'complete';

/** `complete` if the language has every text that English has, `missing` if the language has no text. */
export function getTranslationStatus(texts: Texts, names: readonly string[], locale: string): TranslationStatus {
  const hasText = (code: string, name: string) => Boolean(texts[code]?.[name]?.trim());
  if (!names.some((name) => hasText(locale, name))) return 'missing';
  const requiredNames = names.filter((name) => hasText('en', name));
  return requiredNames.every((name) => hasText(locale, name)) ? 'complete' : 'incomplete';
}

/** Returns the English texts that the language does not have, by name. */
export function findMissingTexts(texts: Texts, names: readonly string[], locale: string): Record<string, string> {
  const isMissing = (name: string) => texts.en?.[name]?.trim() && !texts[locale]?.[name]?.trim();
  return Object.fromEntries(names.filter((name) => isMissing(name)).map((name) => [name, texts.en?.[name] ?? '']));
}

/** Returns a copy in which `translations` fill the missing texts of a language. Existing texts are not changed. */
export function fillMissingTexts(texts: Texts, locale: string, translations: Readonly<Record<string, string>>): Texts {
  const missingEntries = Object.entries(translations).filter(([name]) => !texts[locale]?.[name]?.trim());
  return missingEntries.reduce((result, [name, text]) => setText(result, locale, name, text), texts);
}
