// @ts-check
// What is wrong in the languages' texts: keys missing, superfluous, or with other placeholders than English has.
//   npm run texts
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** @typedef {{ [key: string]: string | Texts }} Texts */

/**
 * Every text under its whole key.
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
 * The keys that a language needs, each with the placeholders it may have: a counted text once per plural category of the
 * language, with those of any of its English forms.
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
 * One line for each fault; none when the texts are whole.
 * @param {Texts} english
 * @param {Texts} texts
 * @param {string} tag BCP 47
 * @returns {string[]}
 */
export function faults(english, texts, tag) {
  const wanted = needed(english, tag);
  const found = new Map(flat(texts));
  return [
    ...[...wanted.keys()].filter((key) => !found.get(key)).map((key) => `missing ${key}`),
    ...[...found.keys()].filter((key) => !wanted.has(key)).map((key) => `superfluous ${key}`),
    ...[...found]
      .filter(([key, text]) => text && wanted.get(key)?.includes(placeholders(text)) === false)
      .map(
        ([key, text]) => `placeholders ${key}: ${placeholders(text) || 'none'}, not ${wanted.get(key)?.[0] || 'none'}`,
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
