/** The languages of the console: the code of the specification, the BCP 47 tag, and the name of the language in that language. */
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

export function localeOf(code: string): (typeof LOCALES)[number] {
  return LOCALES.find((locale) => locale.code === code) ?? LOCALES[0];
}
