// Initializes the texts of the console. The bundle contains English, which is the fallback of all other languages. The console loads
// another language when the user selects it.
import i18next from 'i18next';
import { addLocale, locale as primeLocale } from 'primereact/api';
import { initReactI18next } from 'react-i18next';
import columns from './columns.en.json';
import { getLocale, LOCALES, type LocaleCode } from './locales';
import texts from './texts/en.json';

/** The column labels are generated from openapi.json. All other texts are written by hand. */
const englishTexts = { ...texts, columns };

const STORAGE_KEY = 'panel.locale';
/** The folder with the texts of PrimeReact's components. */
const PRIME_LOCALE_FOLDER = '../../node_modules/primelocale';
const textFileLoaders = import.meta.glob<Record<string, unknown>>('./texts/*.json', { import: 'default' });
const primeLocaleLoaders = import.meta.glob<Record<string, unknown>>(
  '../../node_modules/primelocale/{ru,es,fr,de,hi,ko,pt-BR,tr,zh-CN,ja,vi}.json',
  { import: 'default' },
);

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof englishTexts };
    returnNull: false;
  }
}

/** Returns the stored language, or else the language of the browser, or else English. */
function getPreferredLocale(): LocaleCode {
  const storedCode = localStorage.getItem(STORAGE_KEY);
  if (storedCode) return getLocale(storedCode).code;
  const browserLocale = navigator.language;
  return (
    LOCALES.find((locale) => locale.tag === browserLocale) ??
    LOCALES.find((locale) => locale.tag.split('-')[0] === browserLocale.split('-')[0]) ??
    LOCALES[0]
  ).code;
}

async function loadTexts(code: LocaleCode): Promise<void> {
  if (code === 'en') return;
  const loadTextFile = textFileLoaders[`./texts/${code}.json`];
  if (loadTextFile) i18next.addResourceBundle(code, 'translation', await loadTextFile(), true, true);
  const { tag } = getLocale(code);
  const primeName = [tag, tag.split('-')[0]].find(
    (name) => `${PRIME_LOCALE_FOLDER}/${name}.json` in primeLocaleLoaders,
  );
  const loadPrimeLocale = primeLocaleLoaders[`${PRIME_LOCALE_FOLDER}/${primeName}.json`];
  if (primeName && loadPrimeLocale)
    addLocale(code, ((await loadPrimeLocale()) as Record<string, Record<string, unknown>>)[primeName] ?? {});
}

/** Returns the languages that have texts. English is the first language. */
export function getAvailableLocales() {
  return LOCALES.filter((locale) => `./texts/${locale.code}.json` in textFileLoaders);
}

export async function setLanguage(code: LocaleCode): Promise<void> {
  await loadTexts(code);
  await i18next.changeLanguage(code);
  primeLocale(code);
  document.documentElement.lang = getLocale(code).tag;
  localStorage.setItem(STORAGE_KEY, code);
}

export async function initI18n(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: englishTexts } },
    interpolation: { escapeValue: false },
    returnNull: false,
    saveMissing: true,
    // biome-ignore lint/suspicious/noConsole: a missing text is a bug, and the browser tests fail if the console logs an error.
    missingKeyHandler: (_languages, _namespace, key) => console.error(`There is no text ${key}.`),
  });
  const locale = getPreferredLocale();
  if (locale !== 'en') await setLanguage(locale).catch(() => undefined);
}
