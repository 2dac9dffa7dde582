// Generates src/theme/made/{light,dark}.css from PrimeReact's Lara theme: with an accent color of sufficient contrast (WCAG AA),
// and without its fonts, which are larger than the rest.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const folder = new URL('../src/theme/made/', import.meta.url);
await mkdir(folder, { recursive: true });

for (const shade of ['light', 'dark']) {
  const source = await readFile(require.resolve(`primereact/resources/themes/lara-${shade}-purple/theme.css`), 'utf8');
  const css = source
    .replace(/@font-face\s*\{[^}]*\}/g, '')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(shade === 'light' ? '#8b5cf6' : '\0', '#7c3aed')
    .replace(/--font-family:[^;]*;/g, '--font-family: "Inter Variable", system-ui, sans-serif;')
    .replace(/\n\s*/g, '\n');
  await writeFile(new URL(`${shade}.css`, folder), css);
}
