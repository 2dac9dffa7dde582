// Checks the direction of imports: `ui` must not import `form`, `form` must not import `table`, and none of them may import an
// area.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const AREAS = ['catalogue', 'configuration', 'home', 'marketing', 'operations', 'profile', 'supply'];
const FORBIDDEN_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  ui: ['form', 'table', 'shell', ...AREAS],
  form: ['table', 'shell', ...AREAS],
  table: AREAS,
};

it.each(Object.entries(FORBIDDEN_IMPORTS))('%s imports no higher layer', (layer, higherLayers) => {
  const files = readdirSync(`src/${layer}`, { recursive: true, encoding: 'utf8' });
  const violations = files
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(`src/${layer}/${file}`, 'utf8');
      const importedFolders = [...text.matchAll(/from '@\/(\w+)/g)].map(([, folder]) => folder ?? '');
      return importedFolders
        .filter((folder) => higherLayers.includes(folder))
        .map((folder) => `${layer}/${file} imports ${folder}`);
    });
  expect(violations).toEqual([]);
});
