// Generates src/api/schema.ts, the types of all endpoints, from openapi.json. With --check it only checks that the file is up to
// date.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const source = new URL('../../openapi.json', import.meta.url);
const target = new URL('../../src/api/schema.ts', import.meta.url);
const header = '// Generated from openapi.json by `npm run openapi`. Do not edit.\n\n';

const openapi = JSON.parse(await readFile(source, 'utf8'));
// A field with a default may be omitted from a body: with `defaultNonNullable: true` its type would require it.
const output = header + astToString(await openapiTS(openapi, { alphabetize: true, defaultNonNullable: false }));
if (process.argv.includes('--check')) {
  if (output !== (await readFile(target, 'utf8').catch(() => ''))) {
    console.error('src/api/schema.ts does not match openapi.json. Run: npm run openapi');
    process.exit(1);
  }
} else {
  await writeFile(target, output);
}
