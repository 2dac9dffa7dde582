// Every screen of the wings' `screens.ts`, and every tab on them, in two languages at two widths: each text is there, nothing
// is logged, nothing is wider than the window. A page is loaded once a language; the rest is walked inside of it.
// The day chooses the languages, so that six days have all twelve; PANEL_TEST_ALL_LANGUAGES=1 runs all of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCALES } from '../src/i18n/locales';
import { Navigator } from './navigator';
import { expect, test } from './panel';

const WINGS = ['operations', 'catalogue', 'supply', 'marketing', 'configuration', 'shell'];
const tableOf = (wing: string) => readFileSync(join(import.meta.dirname, `../src/${wing}/screens.ts`), 'utf8');
const TABLES = WINGS.map(tableOf).join('\n');
const PATHS = [...TABLES.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path);
/** Records that the demo has at other numbers than 1. */
const IDS: Readonly<Record<string, number>> = { '/payment-methods/:id': 3, '/payment-method-bonuses/:id': 3 };

const WIDTHS = [768, 1440] as const;

const DAY_MS = 86_400_000;
const PER_DAY = 2;
const TODAY = Math.floor(Date.parse(process.env.PANEL_TEST_DAY ?? '') / DAY_MS);
const ALL = process.env.PANEL_TEST_ALL_LANGUAGES === '1';
const CHOSEN = LOCALES.filter((_, at) => ALL || Math.floor(at / PER_DAY) === TODAY % (LOCALES.length / PER_DAY));

test('there is something to crawl', () => {
  expect(PATHS.length).toBeGreaterThan(30);
  expect(LOCALES).toHaveLength(12);
  expect(CHOSEN).toHaveLength(ALL ? 12 : PER_DAY);
});

for (const [turn, { code, tag }] of CHOSEN.entries()) {
  test(`every screen in ${code}`, async ({ staff, page }) => {
    test.setTimeout(120_000);
    const found: string[] = [];
    let at = '/';
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) found.push(`${at}: ${message.text()}`);
    });
    const navigator = new Navigator(page);
    await staff.signIn();
    await page.evaluate((code) => localStorage.setItem('panel.locale', code), code);
    await staff.open('/');
    await expect(page.locator('html')).toHaveAttribute('lang', tag);
    const { data } = await staff.get<{ data: { id: number; user: { id: number } }[] }>('/api/v1/admin/orders?length=1');
    const ids: Readonly<Record<string, number | undefined>> = {
      ...IDS,
      '/orders/:id': data[0]?.id,
      '/users/:id/:tab?': data[0]?.user.id,
    };
    const screens = PATHS.map((path) =>
      path
        .replace('/:tab?', '')
        .replace(':place', 'sidebar')
        .replace(':id', String(ids[path] ?? 1)),
    );

    const look = async (path: string, width: number) => {
      await navigator.resize(width);
      const over = await navigator.overflow();
      if (over > 0) found.push(`${path}: ${over} px wider than ${width}`);
    };
    const visit = async (path: string, widths: readonly number[]) => {
      at = path;
      await navigator.to(path);
      const seen = await page.evaluate(() => ({
        title: document.querySelector('main h1')?.textContent?.trim() ?? '',
        path: location.pathname,
        tabs: [...document.querySelectorAll<HTMLAnchorElement>('main nav a[href^="/"]')].map((tab) => tab.pathname),
      }));
      if (!seen.title) found.push(`${path}: no heading`);
      if (seen.path !== path) found.push(`${path}: leads to ${seen.path}`);
      for (const width of widths) await look(path, width);
      return seen.tabs;
    };

    // The first language draws a screen at one of the widths, the second at the other.
    const widths = turn % 2 === 0 ? [...WIDTHS] : [...WIDTHS].reverse();
    await navigator.resize(widths[0] ?? 0);
    const seen = new Set(screens);
    for (const path of seen) {
      for (const tab of await visit(path, widths)) seen.add(tab);
      widths.reverse();
    }
    expect(found).toEqual([]);
  });
}
