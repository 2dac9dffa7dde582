// Every screen of the areas' `screens.ts` with all tabs, in two languages at two widths: no missing text, no console message,
// nothing wider than the window. The page is loaded once per language; navigation happens inside of it. The day selects the
// languages, so that six days cover all twelve; PANEL_TEST_ALL_LANGUAGES=1 runs all of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCALES } from '../src/i18n/locales';
import { Navigator } from './navigator';
import { expect, test } from './panel';

const AREAS = ['operations', 'catalogue', 'supply', 'marketing', 'configuration', 'shell'];
const tableOf = (area: string) => readFileSync(join(import.meta.dirname, `../src/${area}/screens.ts`), 'utf8');
const TABLES = AREAS.map(tableOf).join('\n');
const PATHS = [...TABLES.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path);
/** Ids of demo records that are not 1. */
const IDS: Readonly<Record<string, number>> = { '/payment-methods/:id': 3, '/payment-method-bonuses/:id': 3 };

const WIDTHS = [768, 1440] as const;

const DAY_MS = 86_400_000;
const PER_DAY = 2;
const TODAY = Math.floor(Date.parse(process.env.PANEL_TEST_DAY ?? '') / DAY_MS);
const ALL = process.env.PANEL_TEST_ALL_LANGUAGES === '1';
const CHOSEN = LOCALES.filter((_, at) => ALL || Math.floor(at / PER_DAY) === TODAY % (LOCALES.length / PER_DAY));

test('the crawl has screens', () => {
  expect(PATHS.length).toBeGreaterThan(30);
  expect(LOCALES).toHaveLength(12);
  expect(CHOSEN).toHaveLength(ALL ? 12 : PER_DAY);
});

for (const [turn, { code, tag }] of CHOSEN.entries()) {
  test(`every screen in ${code}`, async ({ staff, page }) => {
    test.setTimeout(120_000);
    const errors: string[] = [];
    let at = '/';
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(`${at}: ${message.text()}`);
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
      if (over > 0) errors.push(`${path}: ${over} px wider than ${width}`);
    };
    const visit = async (path: string, widths: readonly number[]) => {
      at = path;
      await navigator.to(path);
      const state = await page.evaluate(() => ({
        title: document.querySelector('main h1')?.textContent?.trim() ?? '',
        path: location.pathname,
        tabs: [...document.querySelectorAll<HTMLAnchorElement>('main nav a[href^="/"]')].map((tab) => tab.pathname),
      }));
      if (!state.title) errors.push(`${path}: no heading`);
      if (state.path !== path) errors.push(`${path}: leads to ${state.path}`);
      for (const width of widths) await look(path, width);
      return state.tabs;
    };

    // The two languages render each screen at different widths.
    const widths = turn % 2 === 0 ? [...WIDTHS] : [...WIDTHS].reverse();
    await navigator.resize(widths[0] ?? 0);
    const visited = new Set(screens);
    for (const path of visited) {
      for (const tab of await visit(path, widths)) visited.add(tab);
      widths.reverse();
    }
    expect(errors).toEqual([]);
  });
}
