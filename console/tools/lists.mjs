// Generates from openapi.json: src/api/enums.ts, the values of each enumeration; src/api/lists, the declarations of lists
// (`x-list`); src/i18n/columns.en.json, their English column labels. With --check it only compares.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const folder = new URL('src/api/lists/', root);
const HEADER = '// Generated from openapi.json by `npm run openapi`. Do not edit.\n';
const document = JSON.parse(await readFile(new URL('openapi.json', root), 'utf8'));
const schemas = document.components.schemas;

const lists = Object.entries(document.paths)
  .flatMap(([path, { get }]) => (get?.['x-list'] ? [{ path, ...get['x-list'], row: rowSchema(get) }] : []))
  .sort((left, right) => left.name.localeCompare(right.name));

/** The schema name of a list's rows. */
function rowSchema(operation) {
  const pageSchema = operation.responses['200'].content['application/json'].schema.$ref.split('/').at(-1);
  return schemas[pageSchema].properties.data.items.$ref.split('/').at(-1);
}

const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const toCamelCase = (name) => name.replace(/-(.)/g, (_, character) => character.toUpperCase());

/** The i18n key of a column's label. Dots become underscores, because i18next separates keys by dots. */
function labelKey(name) {
  const key = name.replaceAll('.', '_');
  if (/_(one|other)$/.test(key)) throw new Error(`${name}: i18next would treat the label as a plural form`);
  return key;
}

/** The source text of a column's declaration. */
function columnSource(column) {
  const { name, kind, record, words, label, permission, filteredBy, aliasOf } = column;
  const parts = [`name: ${quote(name)}`, `kind: ${quote(kind)}`];
  if (record) parts.push(`recordKind: ${quote(record)}`);
  if (words) parts.push(`enumName: ${quote(words)}`, `values: ${words}`);
  if (permission) parts.push(`permission: ${quote(permission)}`);
  if (column.inRow === false) parts.push('inRow: false');
  if (!label || aliasOf) parts.push('hasLabel: false');
  if (column.searchable === false) parts.push('searchable: false');
  if (filteredBy) parts.push(`filteredBy: ${quote(filteredBy)}`);
  if (aliasOf) parts.push(`aliasOf: ${quote(aliasOf)}`);
  return `    { ${parts.join(', ')} },\n`;
}

/** The source text of a list's file. */
function listSource({ path, name, labels, columns, filters = [], order, length, wide, row }) {
  const enums = [...new Set([...columns, ...filters].flatMap(({ words }) => words ?? []))].sort();
  const arraySource = (entries) => (entries.length ? `[\n${entries.map(columnSource).join('')}  ]` : '[]');
  return [
    HEADER,
    "import { declareList } from '../listDeclaration';\n",
    enums.length ? `import { ${enums.join(', ')} } from '../enums';\n` : '',
    `\nexport const ${toCamelCase(name)} = declareList<${quote(row)}>()({\n`,
    `  name: ${quote(name)},\n  path: ${quote(path)},\n  labels: ${quote(labels)},\n`,
    `  defaultColumns: [${wide.map(quote).join(', ')}],\n`,
    `  columns: ${arraySource(columns)},\n  filters: ${arraySource(filters)},\n`,
    order ? `  defaultSort: ${JSON.stringify(order).replaceAll('"', "'").replaceAll(',', ', ')},\n` : '',
    length ? `  pageSize: ${length},\n` : '',
    '});\n',
  ].join('');
}

/** The source text of all enumerations. `EnumName` has only those of list columns, so that TypeScript requires texts for them. */
function enumsSource() {
  const allColumns = lists.flatMap(({ columns, filters = [] }) => [...columns, ...filters]);
  const enumsOfColumns = [...new Set(allColumns.flatMap(({ words }) => words ?? []))].sort();
  const enums = Object.keys(schemas)
    .filter((name) => schemas[name].enum)
    .sort();
  const enumSource = (name) =>
    `\nexport const ${name} = [${schemas[name].enum.map(quote).join(', ')}] as const satisfies readonly Schemas['${name}'][];\n`;
  const names = enumsOfColumns.map((name) => `  | ${quote(name)}`).join('\n');
  return [
    HEADER,
    "import type { Schemas } from './client';\n\n",
    '/** The enumerations whose values appear in columns of lists. */\n',
    `export type EnumName =\n${names};\n`,
    ...enums.map(enumSource),
  ].join('');
}

function labelsSource() {
  const labels = {};
  for (const { labels: groupName, columns, filters = [] } of lists) {
    const group = labels[groupName] ?? {};
    labels[groupName] = group;
    for (const { name, label, aliasOf } of [...columns, ...filters]) {
      if (!label || aliasOf) continue;
      const key = labelKey(name);
      if (group[key] && group[key] !== label) throw new Error(`${groupName}: ${name} has two labels`);
      group[key] = label;
    }
  }
  return `${JSON.stringify(labels, null, 2)}\n`;
}

const files = new Map([
  ...lists.map((list) => [new URL(`${list.name}.ts`, folder), listSource(list)]),
  [new URL('src/api/enums.ts', root), enumsSource()],
  [new URL('src/i18n/columns.en.json', root), labelsSource()],
]);
const generatedNames = new Set(lists.map(({ name }) => `${name}.ts`));
const obsoleteFiles = (await readdir(folder).catch(() => [])).filter((name) => !generatedNames.has(name));

if (process.argv.includes('--check')) {
  const outdatedFiles = [];
  for (const [file, text] of files)
    if (text !== (await readFile(file, 'utf8').catch(() => ''))) outdatedFiles.push(file.pathname);
  if (outdatedFiles.length + obsoleteFiles.length > 0) {
    console.error(
      `These files do not match openapi.json. Run: npm run openapi\n${[...outdatedFiles, ...obsoleteFiles].join('\n')}`,
    );
    process.exit(1);
  }
} else {
  await mkdir(folder, { recursive: true });
  for (const [file, text] of files) await writeFile(file, text);
  for (const name of obsoleteFiles) await rm(new URL(name, folder));
}
