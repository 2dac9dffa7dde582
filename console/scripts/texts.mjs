// @ts-check
// Checks the translations: missing keys, superfluous keys, and placeholders that differ from English.
//   npm run texts
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** @typedef {{ [key: string]: string | Texts }} Texts */

/**
 * Every text by its full key.
 * @param {Texts} texts
 * @returns {[string, string][]}
 */
function flat(texts, above = '') {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [/** @type {[string, string]} */ ([above + key, text])] : flat(text, `${above + key}.`),
  );
}

/** @param {string} text */
const placeholders = (text) => [...new Set(text.match(/\{\{.*?\}\}/g))].sort().join(' ');

/**
 * The keys that a language needs, each with its allowed placeholders. A text with plural forms needs one key per plural category of
 * the language, with the placeholders of any of its English forms.
 * @param {Texts} english
 * @param {string} tag
 */
function needed(english, tag) {
  const texts = new Map(flat(english));
  const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
  return new Map(
    [...texts].flatMap(([key, text]) => {
      const base = key.replace(/_(one|other)$/, '');
      const forms = [texts.get(`${base}_one`), texts.get(`${base}_other`)].filter((form) => form !== undefined);
      if (base === key || forms.length < 2) return [[key, [placeholders(text)]]];
      return pluralCategories.map((category) => [`${base}_${category}`, forms.map(placeholders)]);
    }),
  );
}

/**
 * One line per error; empty when the translation is complete.
 * @param {Texts} english
 * @param {Texts} texts
 * @param {string} tag BCP 47
 * @returns {string[]}
 */
export function faults(english, texts, tag) {
  const required = needed(english, tag);
  const existing = new Map(flat(texts));
  return [
    ...[...required.keys()].filter((key) => !existing.get(key)).map((key) => `missing ${key}`),
    ...[...existing.keys()].filter((key) => !required.has(key)).map((key) => `superfluous ${key}`),
    ...[...existing]
      .filter(([key, text]) => text && required.get(key)?.includes(placeholders(text)) === false)
      .map(
        ([key, text]) =>
          `placeholders ${key}: ${placeholders(text) || 'none'}, not ${required.get(key)?.[0] || 'none'}`,
      ),
  ];
}

function main() {
  const folder = new URL('../src/i18n/texts/', import.meta.url);
  /** @type {(name: string) => Texts} */
  const read = (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  const english = { ...read('en.json'), columns: read('../columns.en.json') };
  const others = readdirSync(folder).filter((name) => name !== 'en.json');
  const lines = others.flatMap((name) => {
    const code = name.replace('.json', '');
    return faults(english, read(name), code.replace('_', '-')).map((fault) => `${code}: ${fault}`);
  });
  for (const line of lines) console.log(line);
  if (lines.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
