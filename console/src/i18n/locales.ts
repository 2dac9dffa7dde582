/** The languages of the console. `code` is the code in the specification, `tag` the BCP 47 tag, `name` the language's own name. */
export const LOCALES = [
  { code: 'en', tag: 'en', name: 'English' },
  { code: 'ru', tag: 'ru', name: 'Русский' },
  { code: 'es', tag: 'es', name: 'Español' },
  { code: 'fr', tag: 'fr', name: 'Français' },
  { code: 'de', tag: 'de', name: 'Deutsch' },
  { code: 'hi_IN', tag: 'hi-IN', name: 'हिन्दी' },
  { code: 'ko', tag: 'ko', name: '한국어' },
  { code: 'pt_BR', tag: 'pt-BR', name: 'Português (Brasil)' },
  { code: 'tr', tag: 'tr', name: 'Türkçe' },
  { code: 'zh_CN', tag: 'zh-CN', name: '简体中文' },
  { code: 'ja', tag: 'ja', name: '日本語' },
  { code: 'vi', tag: 'vi', name: 'Tiếng Việt' },
] as const;

export type LocaleCode = (typeof LOCALES)[number]['code'];

/** Returns the language with the given code, or English if the code is unknown. */
export function getLocale(code: string): (typeof LOCALES)[number] {
  return LOCALES.find((locale) => locale.code === code) ?? LOCALES[0];
}
