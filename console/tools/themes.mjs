// Generates src/theme/generated/{light,dark}.css from PrimeReact's theme Lara. Replaces the accent color by a color with enough contrast
// (WCAG AA). Removes the fonts, because they are larger than all other rules together.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const outputFolder = new URL('../src/theme/generated/', import.meta.url);
await mkdir(outputFolder, { recursive: true });

for (const colorScheme of ['light', 'dark']) {
  const source = await readFile(
    require.resolve(`primereact/resources/themes/lara-${colorScheme}-purple/theme.css`),
    'utf8',
  );
  const css = source
    .replace(/@font-face\s*\{[^}]*\}/g, '')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(colorScheme === 'light' ? '#8b5cf6' : '\0', '#7c3aed')
    .replace(/--font-family:[^;]*;/g, '--font-family: "Inter Variable", system-ui, sans-serif;')
    .replace(/\n\s*/g, '\n');
  await writeFile(new URL(`${colorScheme}.css`, outputFolder), css);
}
