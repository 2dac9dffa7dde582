// Texts by language. English is bundled; other languages load when they are selected and fall back to English.
import i18next from 'i18next';
import { addLocale, locale as primeLocale } from 'primereact/api';
import { initReactI18next } from 'react-i18next';
import columns from './columns.en.json';
import { LOCALES, type LocaleCode, localeOf } from './locales';
import texts from './texts/en.json';

/** Column labels are generated from the contract; all other texts are in this folder. */
const english = { ...texts, columns };

const STORAGE_KEY = 'panel.locale';
/** Texts of PrimeReact's components. */
const PRIME_LOCALES = '../../node_modules/primelocale';
const loaders = import.meta.glob<Record<string, unknown>>('./texts/*.json', { import: 'default' });
const primeLoaders = import.meta.glob<Record<string, unknown>>(
  '../../node_modules/primelocale/{ru,es,fr,de,hi,ko,pt-BR,tr,zh-CN,ja,vi}.json',
  { import: 'default' },
);

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof english };
    returnNull: false;
  }
}

/** The stored language, else the browser's, else English. */
function preferredLocale(): LocaleCode {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored) return localeOf(stored).code;
  const browserLocale = navigator.language;
  return (
    LOCALES.find((locale) => locale.tag === browserLocale) ??
    LOCALES.find((locale) => locale.tag.split('-')[0] === browserLocale.split('-')[0]) ??
    LOCALES[0]
  ).code;
}

async function load(code: LocaleCode): Promise<void> {
  if (code === 'en') return;
  const load = loaders[`./texts/${code}.json`];
  if (load) i18next.addResourceBundle(code, 'translation', await load(), true, true);
  const { tag } = localeOf(code);
  const name = [tag, tag.split('-')[0]].find((name) => `${PRIME_LOCALES}/${name}.json` in primeLoaders);
  const prime = primeLoaders[`${PRIME_LOCALES}/${name}.json`];
  if (name && prime) addLocale(code, ((await prime()) as Record<string, Record<string, unknown>>)[name] ?? {});
}

/** Languages with texts, English first. */
export function availableLocales() {
  return LOCALES.filter((locale) => `./texts/${locale.code}.json` in loaders);
}

export async function setLanguage(code: LocaleCode): Promise<void> {
  await load(code);
  await i18next.changeLanguage(code);
  primeLocale(code);
  document.documentElement.lang = localeOf(code).tag;
  localStorage.setItem(STORAGE_KEY, code);
}

export async function initI18n(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: english } },
    interpolation: { escapeValue: false },
    returnNull: false,
    saveMissing: true,
    // biome-ignore lint/suspicious/noConsole: a missing text is a bug; the browser tests fail on console errors.
    missingKeyHandler: (_languages, _namespace, key) => console.error(`There is no text ${key}.`),
  });
  const locale = preferredLocale();
  if (locale !== 'en') await setLanguage(locale).catch(() => undefined);
}
