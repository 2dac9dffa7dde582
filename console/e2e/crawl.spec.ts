// Every screen of the wings' `screens.ts`, and every tab on them, in every language at two widths: each text is there, nothing
// is logged, nothing is wider than the window. A page is loaded once a language; the rest is walked inside of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { LOCALES } from '../src/i18n/locales';
import { expect, test } from './panel';

const WINGS = ['operations', 'catalogue', 'supply', 'marketing', 'configuration', 'shell'];
const tableOf = (wing: string) => readFileSync(join(import.meta.dirname, `../src/${wing}/screens.ts`), 'utf8');
const TABLES = WINGS.map(tableOf).join('\n');
const PATHS = [...TABLES.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path);
/** Records that the demo has at other numbers than 1. */
const IDS: Readonly<Record<string, number>> = { '/payment-methods/:id': 3, '/payment-method-bonuses/:id': 3 };

/** Each screen is drawn at the first, and looked at in all. */
const WIDTHS = [768, 1440] as const;

/** How often in a row nothing may be under way, and how long apart. */
const QUIET = 2;
const PAUSE_MS = 20;

/** What the page asks for and has not got yet. */
function underWay(page: Page): Set<unknown> {
  const open = new Set<unknown>();
  page.on('request', (request) => open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return open;
}

/** The screen's own code has come, and what it shows first. */
const isDrawn = () => document.querySelector('main h1') !== null && document.querySelector('main .loading') === null;

test('there is something to crawl', () => {
  expect(PATHS.length).toBeGreaterThan(30);
  expect(LOCALES).toHaveLength(12);
});

for (const { code, tag } of LOCALES) {
  test(`every screen in ${code}`, async ({ staff, page }) => {
    test.setTimeout(120_000);
    const found: string[] = [];
    let at = '/';
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) found.push(`${at}: ${message.text()}`);
    });
    const open = underWay(page);
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

    const visit = async (path: string) => {
      at = path;
      await page.evaluate((path) => history.pushState(null, '', path), path);
      await page.waitForFunction(isDrawn, undefined, { polling: PAUSE_MS, timeout: 10_000 }).catch(() => undefined);
      for (let quiet = 0; quiet < QUIET; quiet = open.size === 0 ? quiet + 1 : 0) await page.waitForTimeout(PAUSE_MS);
      const seen = await page.evaluate(() => ({
        title: document.querySelector('main h1')?.textContent?.trim() ?? '',
        path: location.pathname,
        tabs: [...document.querySelectorAll<HTMLAnchorElement>('main nav a[href^="/"]')].map((tab) => tab.pathname),
      }));
      if (!seen.title) found.push(`${path}: no heading`);
      if (seen.path !== path) found.push(`${path}: leads to ${seen.path}`);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (over > 0) found.push(`${path}: ${over} px wider than ${width}`);
      }
      return seen.tabs;
    };

    const seen = new Set(screens);
    for (const path of seen) for (const tab of await visit(path)) seen.add(tab);
    expect(found).toEqual([]);
  });
}
