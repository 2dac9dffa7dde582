// The texts of the console. English is bundled, other languages are loaded when the user selects them. English is their fallback.
import i18next from 'i18next';
import { addLocale, locale as primeLocale } from 'primereact/api';
import { initReactI18next } from 'react-i18next';
import columns from './columns.en.json';
import { LOCALES, type LocaleCode, localeOf } from './locales';
import texts from './texts/en.json';

/** The column labels are generated from openapi.json, all other texts are written by hand. */
const english = { ...texts, columns };

const STORAGE_KEY = 'panel.locale';
/** Texts of PrimeReact's components. */
const PRIME_LOCALES = '../../node_modules/primelocale';
const textLoaders = import.meta.glob<Record<string, unknown>>('./texts/*.json', { import: 'default' });
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

/** The stored language, otherwise the language of the browser, otherwise English. */
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

async function loadTexts(code: LocaleCode): Promise<void> {
  if (code === 'en') return;
  const loadLocale = textLoaders[`./texts/${code}.json`];
  if (loadLocale) i18next.addResourceBundle(code, 'translation', await loadLocale(), true, true);
  const { tag } = localeOf(code);
  const name = [tag, tag.split('-')[0]].find((name) => `${PRIME_LOCALES}/${name}.json` in primeLoaders);
  const loadPrimeLocale = primeLoaders[`${PRIME_LOCALES}/${name}.json`];
  if (name && loadPrimeLocale)
    addLocale(code, ((await loadPrimeLocale()) as Record<string, Record<string, unknown>>)[name] ?? {});
}

/** The languages that have texts; English is the first one. */
export function availableLocales() {
  return LOCALES.filter((locale) => `./texts/${locale.code}.json` in textLoaders);
}

export async function setLanguage(code: LocaleCode): Promise<void> {
  await loadTexts(code);
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
