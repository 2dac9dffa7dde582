// @ts-check
// Checks the translations: reports missing keys, unknown keys, and placeholders that differ from English.
//   npm run texts
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** @typedef {{ [key: string]: string | Texts }} Texts */

/**
 * Every text with its dotted key.
 * @param {Texts} texts
 * @returns {[string, string][]}
 */
function flatten(texts, prefix = '') {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string'
      ? [/** @type {[string, string]} */ ([prefix + key, text])]
      : flatten(text, `${prefix + key}.`),
  );
}

/** @param {string} text */
const placeholdersOf = (text) => [...new Set(text.match(/\{\{.*?\}\}/g))].sort().join(' ');

/**
 * The keys that a language must have, each with its allowed placeholders. A text with plural forms must have one key per plural
 * category of the language, with the placeholders of one of its English forms.
 * @param {Texts} english
 * @param {string} tag
 */
function requiredKeys(english, tag) {
  const texts = new Map(flatten(english));
  const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
  return new Map(
    [...texts].flatMap(([key, text]) => {
      const baseKey = key.replace(/_(one|other)$/, '');
      const forms = [texts.get(`${baseKey}_one`), texts.get(`${baseKey}_other`)].filter((form) => form !== undefined);
      if (baseKey === key || forms.length < 2) return [[key, [placeholdersOf(text)]]];
      return pluralCategories.map((category) => [`${baseKey}_${category}`, forms.map(placeholdersOf)]);
    }),
  );
}

/**
 * The errors of a translation, one line each; empty if it is complete.
 * @param {Texts} english
 * @param {Texts} texts
 * @param {string} tag BCP 47
 * @returns {string[]}
 */
export function translationErrors(english, texts, tag) {
  const required = requiredKeys(english, tag);
  const existing = new Map(flatten(texts));
  return [
    ...[...required.keys()].filter((key) => !existing.get(key)).map((key) => `missing ${key}`),
    ...[...existing.keys()].filter((key) => !required.has(key)).map((key) => `unknown ${key}`),
    ...[...existing]
      .filter(([key, text]) => text && required.get(key)?.includes(placeholdersOf(text)) === false)
      .map(
        ([key, text]) =>
          `placeholders ${key}: ${placeholdersOf(text) || 'none'}, not ${required.get(key)?.[0] || 'none'}`,
      ),
  ];
}

function main() {
  const folder = new URL('../src/i18n/texts/', import.meta.url);
  /** @type {(name: string) => Texts} */
  const readTexts = (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  const english = { ...readTexts('en.json'), columns: readTexts('../columns.en.json') };
  const translatedFiles = readdirSync(folder).filter((name) => name !== 'en.json');
  const errorLines = translatedFiles.flatMap((name) => {
    const code = name.replace('.json', '');
    return translationErrors(english, readTexts(name), code.replace('_', '-')).map((error) => `${code}: ${error}`);
  });
  for (const line of errorLines) console.log(line);
  if (errorLines.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
