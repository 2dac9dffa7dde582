// Generates src/api/schema.ts, which contains the types of all endpoints, from openapi.json. With --check, only checks that the file is
// up to date.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const openapiFile = new URL('../../openapi.json', import.meta.url);
const schemaFile = new URL('../../src/api/schema.ts', import.meta.url);
const header = '// Generated from openapi.json by `npm run openapi`. Do not edit.\n\n';

const openapi = JSON.parse(await readFile(openapiFile, 'utf8'));
// A request body may omit a field with a default. With `defaultNonNullable: true`, the type would require the field.
const schemaSource = header + astToString(await openapiTS(openapi, { alphabetize: true, defaultNonNullable: false }));
if (process.argv.includes('--check')) {
  if (schemaSource !== (await readFile(schemaFile, 'utf8').catch(() => ''))) {
    console.error('src/api/schema.ts does not match openapi.json. Run: npm run openapi');
    process.exit(1);
  }
} else {
  await writeFile(schemaFile, schemaSource);
}
