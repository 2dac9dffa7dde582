// Texts by language. English is built in; the others load when chosen, and what one of them lacks shows in English.
import i18next from 'i18next';
import { addLocale, locale as primeLocale } from 'primereact/api';
import { initReactI18next } from 'react-i18next';
import columns from './columns.en.json';
import { LOCALES, type LocaleCode, localeOf } from './locales';
import own from './texts/en.json';

/** Labels of columns come from the contract; all other texts are written here. */
const english = { ...own, columns };

const STORED = 'panel.locale';
/** The components' own words. */
const PRIMES = '../../node_modules/primelocale';
const texts = import.meta.glob<Record<string, unknown>>('./texts/*.json', { import: 'default' });
const primes = import.meta.glob<Record<string, unknown>>(
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

/** The language chosen here before, or the browser's, or English. */
function preferred(): LocaleCode {
  const stored = localStorage.getItem(STORED);
  if (stored) return localeOf(stored).code;
  const wanted = navigator.language;
  return (
    LOCALES.find((locale) => locale.tag === wanted) ??
    LOCALES.find((locale) => locale.tag.split('-')[0] === wanted.split('-')[0]) ??
    LOCALES[0]
  ).code;
}

async function load(code: LocaleCode): Promise<void> {
  if (code === 'en') return;
  const load = texts[`./texts/${code}.json`];
  if (load) i18next.addResourceBundle(code, 'translation', await load(), true, true);
  const { tag } = localeOf(code);
  const name = [tag, tag.split('-')[0]].find((name) => `${PRIMES}/${name}.json` in primes);
  const prime = primes[`${PRIMES}/${name}.json`];
  if (name && prime) addLocale(code, ((await prime()) as Record<string, Record<string, unknown>>)[name] ?? {});
}

/** Languages that have texts, English first. */
export function offered() {
  return LOCALES.filter((locale) => `./texts/${locale.code}.json` in texts);
}

export async function speak(code: LocaleCode): Promise<void> {
  await load(code);
  await i18next.changeLanguage(code);
  primeLocale(code);
  document.documentElement.lang = localeOf(code).tag;
  localStorage.setItem(STORED, code);
}

export async function startTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: english } },
    interpolation: { escapeValue: false },
    returnNull: false,
    saveMissing: true,
    // biome-ignore lint/suspicious/noConsole: a text that no language has is a fault of ours; browser tests fail by it.
    missingKeyHandler: (_languages, _namespace, key) => console.error(`There is no text ${key}.`),
  });
  const wanted = preferred();
  if (wanted !== 'en') await speak(wanted).catch(() => undefined);
}
