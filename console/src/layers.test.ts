// Imports go one way: `ui` must not import `form`, `form` must not import `table`, and none of them an area.
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
  const wrong = files
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(`src/${layer}/${file}`, 'utf8');
      const imports = [...text.matchAll(/from '@\/(\w+)/g)].map(([, first]) => first ?? '');
      return imports
        .filter((first) => higherLayers.includes(first))
        .map((first) => `${layer}/${file} imports ${first}`);
    });
  expect(wrong).toEqual([]);
});
