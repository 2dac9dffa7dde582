// Generates three things from openapi.json: the values of each enumeration in src/api/enums.ts, the declarations of lists (`x-list`) in
// src/api/lists, and their English column labels in src/i18n/columns.en.json. With --check, only compares the existing files.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const listFolder = new URL('src/api/lists/', root);
const HEADER = '// Generated from openapi.json by `npm run openapi`. Do not edit.\n';
const document = JSON.parse(await readFile(new URL('openapi.json', root), 'utf8'));
const schemas = document.components.schemas;

const lists = Object.entries(document.paths)
  .flatMap(([path, { get }]) => (get?.['x-list'] ? [{ path, ...get['x-list'], row: getRowSchemaName(get) }] : []))
  .sort((left, right) => left.name.localeCompare(right.name));

/** Returns the schema name of a list's rows. */
function getRowSchemaName(operation) {
  const pageSchema = operation.responses['200'].content['application/json'].schema.$ref.split('/').at(-1);
  return schemas[pageSchema].properties.data.items.$ref.split('/').at(-1);
}

const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const toCamelCase = (name) => name.replace(/-(.)/g, (_, character) => character.toUpperCase());

/** Returns the i18n key of a column's label. Dots become underscores, because i18next separates keys by dots. */
function toLabelKey(name) {
  const key = name.replaceAll('.', '_');
  if (/_(one|other)$/.test(key))
    throw new Error(`i18next would treat the label of the column ${name} as a plural form. Rename the column.`);
  return key;
}

/** Returns the source code of a column's declaration. */
function generateColumn(column) {
  const { name, kind, record, enum: enumName, label, permission, filteredBy, aliasOf } = column;
  const properties = [`name: ${quote(name)}`, `kind: ${quote(kind)}`];
  if (record) properties.push(`recordKind: ${quote(record)}`);
  if (enumName) properties.push(`enumName: ${quote(enumName)}`, `values: ${enumName}`);
  if (permission) properties.push(`permission: ${quote(permission)}`);
  if (column.inRow === false) properties.push('inRow: false');
  if (!label || aliasOf) properties.push('hasLabel: false');
  if (column.searchable === false) properties.push('searchable: false');
  if (filteredBy) properties.push(`filteredBy: ${quote(filteredBy)}`);
  if (aliasOf) properties.push(`aliasOf: ${quote(aliasOf)}`);
  return `    { ${properties.join(', ')} },\n`;
}

/** Returns the source code of a list's file. */
function generateListFile({ path, name, labels, columns, filters = [], order, length, consoleColumns, row }) {
  const enums = [...new Set([...columns, ...filters].flatMap(({ enum: enumName }) => enumName ?? []))].sort();
  const generateArray = (entries) => (entries.length ? `[\n${entries.map(generateColumn).join('')}  ]` : '[]');
  return [
    HEADER,
    "import { declareList } from '../listDeclaration';\n",
    enums.length ? `import { ${enums.join(', ')} } from '../enums';\n` : '',
    `\nexport const ${toCamelCase(name)} = declareList<${quote(row)}>()({\n`,
    `  name: ${quote(name)},\n  path: ${quote(path)},\n  labels: ${quote(labels)},\n`,
    `  defaultColumns: [${consoleColumns.map(quote).join(', ')}],\n`,
    `  columns: ${generateArray(columns)},\n  filters: ${generateArray(filters)},\n`,
    order ? `  defaultSort: ${JSON.stringify(order).replaceAll('"', "'").replaceAll(',', ', ')},\n` : '',
    length ? `  pageSize: ${length},\n` : '',
    '});\n',
  ].join('');
}

/**
 * Returns the source code of all enumerations. The type `EnumName` has only the enumerations of list columns, so that TypeScript
 * requires texts for them.
 */
function generateEnumFile() {
  const allColumns = lists.flatMap(({ columns, filters = [] }) => [...columns, ...filters]);
  const enumsOfColumns = [...new Set(allColumns.flatMap(({ enum: enumName }) => enumName ?? []))].sort();
  const enums = Object.keys(schemas)
    .filter((name) => schemas[name].enum)
    .sort();
  const generateEnum = (name) =>
    `\nexport const ${name} = [${schemas[name].enum.map(quote).join(', ')}] as const satisfies readonly Schemas['${name}'][];\n`;
  const names = enumsOfColumns.map((name) => `  | ${quote(name)}`).join('\n');
  return [
    HEADER,
    "import type { Schemas } from './client';\n\n",
    '/** The enumerations whose values appear in columns of lists. */\n',
    `export type EnumName =\n${names};\n`,
    ...enums.map(generateEnum),
  ].join('');
}

function generateLabelFile() {
  const labels = {};
  for (const { labels: groupName, columns, filters = [] } of lists) {
    const group = labels[groupName] ?? {};
    labels[groupName] = group;
    for (const { name, label, aliasOf } of [...columns, ...filters]) {
      if (!label || aliasOf) continue;
      const key = toLabelKey(name);
      if (group[key] && group[key] !== label)
        throw new Error(`The column ${name} of the list ${groupName} has two different labels.`);
      group[key] = label;
    }
  }
  return `${JSON.stringify(labels, null, 2)}\n`;
}

const generatedFiles = new Map([
  ...lists.map((list) => [new URL(`${list.name}.ts`, listFolder), generateListFile(list)]),
  [new URL('src/api/enums.ts', root), generateEnumFile()],
  [new URL('src/i18n/columns.en.json', root), generateLabelFile()],
]);
const generatedNames = new Set(lists.map(({ name }) => `${name}.ts`));
const obsoleteFiles = (await readdir(listFolder).catch(() => [])).filter((name) => !generatedNames.has(name));

if (process.argv.includes('--check')) {
  const outdatedFiles = [];
  for (const [file, text] of generatedFiles)
    if (text !== (await readFile(file, 'utf8').catch(() => ''))) outdatedFiles.push(file.pathname);
  if (outdatedFiles.length + obsoleteFiles.length > 0) {
    console.error(
      `These files do not match openapi.json. Run: npm run openapi\n${[...outdatedFiles, ...obsoleteFiles].join('\n')}`,
    );
    process.exit(1);
  }
} else {
  await mkdir(listFolder, { recursive: true });
  for (const [file, text] of generatedFiles) await writeFile(file, text);
  for (const name of obsoleteFiles) await rm(new URL(name, listFolder));
}
