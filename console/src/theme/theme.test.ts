import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const require = createRequire(import.meta.url);

function computeHueDegrees(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
  return ((Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI + 360) % 360;
}

it.each(['light', 'dark'])('the %s theme has a purple primary color', (colorScheme) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source text of tools/themes.mjs.
  const source = 'primereact/resources/themes/lara-${colorScheme}-purple/theme.css';
  expect(readFileSync(resolve(import.meta.dirname, '../../tools/themes.mjs'), 'utf8')).toContain(source);
  const css = readFileSync(require.resolve(`primereact/resources/themes/lara-${colorScheme}-purple/theme.css`), 'utf8');
  const primaryColor = /--primary-color:\s*(#[0-9a-f]{6})/i.exec(css)?.[1] ?? '';
  expect(computeHueDegrees(primaryColor)).toBeGreaterThan(250);
  expect(computeHueDegrees(primaryColor)).toBeLessThan(295);
});
