// Generates from openapi.json: src/api/words.ts, the values of each enumeration; src/api/lists, the declarations of lists
// (`x-list`); src/i18n/columns.en.json, their English column labels. With --check it only compares.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const folder = new URL('src/api/lists/', root);
const HEAD = '// Made from openapi.json by `npm run openapi`. Never edit it.\n';
const document = JSON.parse(await readFile(new URL('openapi.json', root), 'utf8'));
const schemas = document.components.schemas;

const lists = Object.entries(document.paths)
  .flatMap(([path, { get }]) => (get?.['x-list'] ? [{ path, ...get['x-list'], row: rowOf(get) }] : []))
  .sort((one, other) => one.name.localeCompare(other.name));

/** The schema name of a list's rows. */
function rowOf(operation) {
  const page = operation.responses['200'].content['application/json'].schema.$ref.split('/').at(-1);
  return schemas[page].properties.data.items.$ref.split('/').at(-1);
}

const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const camel = (name) => name.replace(/-(.)/g, (_, character) => character.toUpperCase());

/** The i18n key of a label: dots separate keys, so that they become underscores. */
function key(name) {
  const key = name.replaceAll('.', '_');
  if (/_(one|other)$/.test(key)) throw new Error(`${name}: i18next would take the label for a plural`);
  return key;
}

function column(declared) {
  const { name, kind, record, words, label, permission, filteredBy, aliasOf } = declared;
  const parts = [`name: ${quoted(name)}`, `kind: ${quoted(kind)}`];
  if (record) parts.push(`of: ${quoted(record)}`);
  if (words) parts.push(`set: ${quoted(words)}`, `words: ${words}`);
  if (permission) parts.push(`permission: ${quoted(permission)}`);
  if (declared.inRow === false) parts.push('inRow: false');
  if (!label || aliasOf) parts.push('offered: false');
  if (declared.searchable === false) parts.push('searchable: false');
  if (filteredBy) parts.push(`filteredBy: ${quoted(filteredBy)}`);
  if (aliasOf) parts.push(`aliasOf: ${quoted(aliasOf)}`);
  return `    { ${parts.join(', ')} },\n`;
}

function listFile({ path, name, labels, columns, filters = [], order, length, wide, row }) {
  const sets = [...new Set([...columns, ...filters].flatMap(({ words }) => words ?? []))].sort();
  const array = (entries) => (entries.length ? `[\n${entries.map(column).join('')}  ]` : '[]');
  return [
    HEAD,
    "import { declareList } from '../listDeclaration';\n",
    sets.length ? `import { ${sets.join(', ')} } from '../words';\n` : '',
    `\nexport const ${camel(name)} = declareList<${quoted(row)}>()({\n`,
    `  name: ${quoted(name)},\n  path: ${quoted(path)},\n  labels: ${quoted(labels)},\n`,
    `  wide: [${wide.map(quoted).join(', ')}],\n`,
    `  columns: ${array(columns)},\n  filters: ${array(filters)},\n`,
    order ? `  order: ${JSON.stringify(order).replaceAll('"', "'").replaceAll(',', ', ')},\n` : '',
    length ? `  length: ${length},\n` : '',
    '});\n',
  ].join('');
}

/** All enumerations. The type `WordSet` has those of list columns, so that TypeScript requires their texts. */
function wordsFile() {
  const all = lists.flatMap(({ columns, filters = [] }) => [...columns, ...filters]);
  const listed = [...new Set(all.flatMap(({ words }) => words ?? []))].sort();
  const sets = Object.keys(schemas)
    .filter((name) => schemas[name].enum)
    .sort();
  const set = (name) =>
    `\nexport const ${name} = [${schemas[name].enum.map(quoted).join(', ')}] as const satisfies readonly Schemas['${name}'][];\n`;
  const names = listed.map((name) => `  | ${quoted(name)}`).join('\n');
  return `${HEAD}import type { Schemas } from './client';\n\n/** The closed sets that columns of lists have. */\nexport type WordSet =\n${names};\n${sets.map(set).join('')}`;
}

function labelsFile() {
  const labels = {};
  for (const { labels: of, columns, filters = [] } of lists) {
    const group = labels[of] ?? {};
    labels[of] = group;
    for (const { name, label, aliasOf } of [...columns, ...filters]) {
      if (!label || aliasOf) continue;
      if (group[key(name)] && group[key(name)] !== label) throw new Error(`${of}: ${name} has two labels`);
      group[key(name)] = label;
    }
  }
  return `${JSON.stringify(labels, null, 2)}\n`;
}

const files = new Map([
  ...lists.map((list) => [new URL(`${list.name}.ts`, folder), listFile(list)]),
  [new URL('src/api/words.ts', root), wordsFile()],
  [new URL('src/i18n/columns.en.json', root), labelsFile()],
]);
const generated = new Set(lists.map(({ name }) => `${name}.ts`));
const stale = (await readdir(folder).catch(() => [])).filter((name) => !generated.has(name));

if (process.argv.includes('--check')) {
  const drifted = [];
  for (const [file, text] of files)
    if (text !== (await readFile(file, 'utf8').catch(() => ''))) drifted.push(file.pathname);
  if (drifted.length + stale.length > 0) {
    console.error(
      `The lists are not what openapi.json says; run: npm run openapi\n${[...drifted, ...stale].join('\n')}`,
    );
    process.exit(1);
  }
} else {
  await mkdir(folder, { recursive: true });
  for (const [file, text] of files) await writeFile(file, text);
  for (const name of stale) await rm(new URL(name, folder));
}
