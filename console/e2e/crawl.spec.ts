// Opens every screen of `src/*/screens.ts` with all its tabs, in two languages and at two widths. Checks that no text is missing, that
// the browser logs no error or warning, and that no element is wider than the window. Loads the page once per language. Checks two of
// the twelve languages per day, so that six days cover all languages. PANEL_TEST_ALL_LANGUAGES=1 checks all languages in one run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCALES } from '../src/i18n/locales';
import { Navigator } from './navigator';
import { expect, test } from './panel';

const AREAS = ['operations', 'catalogue', 'supply', 'marketing', 'configuration', 'shell'];
const readScreenFile = (area: string) => readFileSync(join(import.meta.dirname, `../src/${area}/screens.ts`), 'utf8');
const SCREEN_DECLARATIONS = AREAS.map(readScreenFile).join('\n');
const PATHS = [...SCREEN_DECLARATIONS.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path);
/** The record ids for paths of which the demo has no record with the id 1. */
const DEMO_IDS: Readonly<Record<string, number>> = { '/payment-methods/:id': 3, '/payment-method-bonuses/:id': 3 };

const WIDTHS = [768, 1440] as const;

const DAY_MS = 86_400_000;
const LOCALES_PER_DAY = 2;
/** Number of days since 1970-01-01. */
const DAY_NUMBER = Math.floor(Date.parse(process.env.PANEL_TEST_DAY ?? '') / DAY_MS);
const CHECKS_ALL_LOCALES = process.env.PANEL_TEST_ALL_LANGUAGES === '1';
const SELECTED_LOCALES = LOCALES.filter(
  (_, index) =>
    CHECKS_ALL_LOCALES || Math.floor(index / LOCALES_PER_DAY) === DAY_NUMBER % (LOCALES.length / LOCALES_PER_DAY),
);

test('the test finds the screens and selects the languages', () => {
  expect(PATHS.length).toBeGreaterThan(30);
  expect(LOCALES).toHaveLength(12);
  expect(SELECTED_LOCALES).toHaveLength(CHECKS_ALL_LOCALES ? 12 : LOCALES_PER_DAY);
});

for (const [localeIndex, { code, tag }] of SELECTED_LOCALES.entries()) {
  test(`no screen has errors in ${code}`, async ({ staff, page }) => {
    test.setTimeout(120_000);
    const errors: string[] = [];
    let currentPath = '/';
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(`${currentPath}: ${message.text()}`);
    });
    const navigator = new Navigator(page);
    await staff.signIn();
    await page.evaluate((code) => localStorage.setItem('panel.locale', code), code);
    await staff.open('/');
    await expect(page.locator('html')).toHaveAttribute('lang', tag);
    const { data } = await staff.get<{ data: { id: number; user: { id: number } }[] }>('/api/v1/admin/orders?length=1');
    const ids: Readonly<Record<string, number | undefined>> = {
      ...DEMO_IDS,
      '/orders/:id': data[0]?.id,
      '/users/:id/:tab?': data[0]?.user.id,
    };
    const screenPaths = PATHS.map((path) =>
      path
        .replace('/:tab?', '')
        .replace(':place', 'sidebar')
        .replace(':id', String(ids[path] ?? 1)),
    );

    const checkWidth = async (path: string, width: number) => {
      await navigator.resize(width);
      const overflowPx = await navigator.measureHorizontalOverflow();
      if (overflowPx > 0) errors.push(`${path}: ${overflowPx} px wider than ${width}`);
    };
    const checkScreen = async (path: string, widths: readonly number[]) => {
      currentPath = path;
      await navigator.goTo(path);
      const screenState = await page.evaluate(() => ({
        title: document.querySelector('main h1')?.textContent?.trim() ?? '',
        path: location.pathname,
        tabs: [...document.querySelectorAll<HTMLAnchorElement>('main nav a[href^="/"]')].map((tab) => tab.pathname),
      }));
      if (!screenState.title) errors.push(`${path}: no heading`);
      if (screenState.path !== path) errors.push(`${path}: redirects to ${screenState.path}`);
      for (const width of widths) await checkWidth(path, width);
      return screenState.tabs;
    };

    // The two languages of a day begin with different widths.
    const widths = localeIndex % 2 === 0 ? [...WIDTHS] : [...WIDTHS].reverse();
    await navigator.resize(widths[0] ?? 0);
    const pathsToVisit = new Set(screenPaths);
    for (const path of pathsToVisit) {
      for (const tab of await checkScreen(path, widths)) pathsToVisit.add(tab);
      widths.reverse();
    }
    expect(errors).toEqual([]);
  });
}
