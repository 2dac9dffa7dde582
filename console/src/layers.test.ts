// Imports go one way: `api` and `ui` know no form, `form` knows no list, and none of them knows a wing.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const WINGS = ['catalogue', 'configuration', 'home', 'marketing', 'operations', 'profile', 'supply'];
const MAY_NOT: Readonly<Record<string, readonly string[]>> = {
  ui: ['form', 'table', 'shell', ...WINGS],
  form: ['table', 'shell', ...WINGS],
  table: WINGS,
};

it.each(Object.entries(MAY_NOT))('%s imports nothing of what stands above it', (ring, above) => {
  const files = readdirSync(`src/${ring}`, { recursive: true, encoding: 'utf8' });
  const wrong = files
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(`src/${ring}/${file}`, 'utf8');
      const imports = [...text.matchAll(/from '@\/(\w+)/g)].map(([, first]) => first ?? '');
      return imports.filter((first) => above.includes(first)).map((first) => `${ring}/${file} imports ${first}`);
    });
  expect(wrong).toEqual([]);
});
