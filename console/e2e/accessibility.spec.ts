// Opens every screen in both color schemes. Checks that axe finds no accessibility violations, that nothing is wider than the
// window, and that the browser logs no error or warning.
import type { Page } from '@playwright/test';
import type { Result } from 'axe-core';
import { findViolations, type RuleSet } from './axe';
import { Navigator } from './navigator';
import { expect, type Staff, test } from './panel';

interface Screen {
  name: string;
  /** `:order` and `:user` stand for the id of the newest order and the id of its customer. */
  path: string;
  /** CSS selector of an element that is visible after the records have loaded. */
  ready: string;
}

/** Each group is a test, so that the workers check the groups in parallel. */
const SCREENS_BY_GROUP: Readonly<Record<string, readonly Screen[]>> = {
  'home and orders': [
    { name: 'home', path: '/', ready: '.counter strong' },
    { name: 'orders', path: '/orders', ready: 'tbody tr[data-id]' },
    { name: 'orders, empty', path: '/orders?q=zzzzqqqq', ready: '.notice' },
    { name: 'subscriptions', path: '/subscriptions', ready: 'tbody tr[data-id]' },
    { name: 'combo orders', path: '/combo-orders', ready: 'tbody tr[data-id]' },
    { name: 'drip-feeds', path: '/drip-feed', ready: 'tbody tr[data-id]' },
    { name: 'child panels', path: '/child-panels', ready: '.notice, tbody tr[data-id]' },
    { name: 'subscription', path: '/subscriptions/1', ready: '.facts' },
    { name: 'order', path: '/orders/:order', ready: '.facts' },
  ],
  'free trials and money': [
    { name: 'free trials', path: '/requests', ready: 'tbody tr[data-id]' },
    { name: 'cancel requests', path: '/cancel-requests', ready: 'tbody tr[data-id]' },
    { name: 'quests', path: '/quests', ready: 'tbody tr[data-id]' },
    { name: 'transactions', path: '/transactions', ready: 'tbody tr[data-id]' },
    { name: 'invoices', path: '/invoices?size=30', ready: 'tbody tr[data-id]' },
    { name: 'withdrawals', path: '/withdrawal?size=30', ready: 'tbody tr[data-id]' },
    { name: 'payment methods', path: '/payment-methods', ready: 'tbody tr[data-id]' },
    { name: 'payment method', path: '/payment-methods/3', ready: '.facts' },
    { name: 'bonuses', path: '/payment-method-bonuses/3', ready: 'table.small' },
  ],
  people: [
    { name: 'profile', path: '/profile/sessions', ready: 'table.small tbody tr' },
    { name: 'users', path: '/users', ready: 'tbody tr[data-id]' },
    { name: 'grades', path: '/loyalty-program', ready: 'tbody tr[data-id]' },
    { name: 'grade', path: '/loyalty-program/2', ready: '.facts' },
    { name: 'staff', path: '/staff', ready: 'tbody tr[data-id]' },
    { name: 'roles', path: '/staff/roles', ready: 'table.small' },
    { name: 'referrals', path: '/referral-program', ready: '.totals dd' },
    { name: 'referrals by customer', path: '/referral-program?group_by=referral', ready: '.small tbody tr' },
    { name: 'audit log', path: '/audit-log', ready: 'tbody tr[data-id]' },
    { name: 'member', path: '/staff/1', ready: '.facts' },
  ],
  'a customer': [
    { name: 'user', path: '/users/:user', ready: '.facts' },
    { name: "user's orders", path: '/users/:user/orders', ready: 'tbody tr[data-id]' },
    { name: "user's prices", path: '/users/:user/prices', ready: '.card' },
    { name: "user's affiliates", path: '/users/:user/affiliates', ready: '.card' },
    { name: "user's access", path: '/users/:user/access', ready: '.facts' },
    { name: "user's documents", path: '/users/:user/documents', ready: '.card' },
    { name: "user's history", path: '/users/:user/history', ready: '.grid' },
  ],
  services: [
    { name: 'services', path: '/services', ready: 'tbody tr[data-id]' },
    { name: 'service', path: '/services/5', ready: '.editor-part input' },
    { name: 'new service', path: '/services/create', ready: '.translated' },
    { name: 'service types', path: '/services/types', ready: 'tbody tr[data-id]' },
    { name: 'labels', path: '/services/labels', ready: 'tbody tr[data-id]' },
    { name: 'positions', path: '/services/positions', ready: '.sortable li' },
    { name: 'targets', path: '/targets', ready: 'tbody tr[data-id]' },
    { name: 'URL checks', path: '/targets/groups', ready: 'table.small' },
  ],
  packages: [
    { name: 'packages', path: '/packages', ready: 'tbody tr[data-id]' },
    { name: 'package', path: '/packages/1', ready: '.totals dd' },
    { name: 'new package', path: '/packages/create', ready: '.translated' },
    { name: "panels' packages", path: '/packages/providers', ready: 'tbody tr[data-id]' },
    { name: 'change log', path: '/change-logs', ready: 'tbody tr[data-id]' },
  ],
  providers: [
    { name: 'providers', path: '/providers', ready: 'tbody tr[data-id]' },
    { name: 'provider', path: '/providers/1', ready: '.record-grid' },
    { name: 'supply report', path: '/providers/report', ready: '.small tbody tr' },
    { name: 'external panel orders', path: '/external-panel-orders', ready: 'tbody tr[data-id]' },
    { name: 'held changes', path: '/held-changes', ready: '.notice, tbody tr[data-id]' },
  ],
  'external panels': [
    { name: 'external panels', path: '/external-panels', ready: 'tbody tr[data-id]' },
    { name: 'external panel', path: '/external-panels/2', ready: '.facts' },
    { name: 'billing of a panel', path: '/external-panels/2/billing', ready: 'tbody tr[data-id]' },
    { name: 'services of a panel', path: '/external-panels/1/services', ready: '.notice, tbody tr[data-id]' },
    { name: 'changes of a panel', path: '/external-panels/1/changes', ready: '.notice, tbody tr[data-id]' },
    { name: 'syncs of a panel', path: '/external-panels/1/syncs', ready: '.notice, tbody tr[data-id]' },
  ],
  'discounts and coupons': [
    { name: 'discounts', path: '/discounts', ready: 'tbody tr[data-id]' },
    { name: 'coupons', path: '/coupons', ready: 'tbody tr[data-id]' },
    { name: 'order widgets', path: '/order-widgets', ready: 'tbody tr[data-id]' },
    { name: 'order widget statistics', path: '/order-widgets/statistics', ready: '.totals dd' },
    { name: 'coupon statistics', path: '/coupons/statistics', ready: '.totals dd' },
  ],
  'offers and banners': [
    { name: 'special offers', path: '/special-offers', ready: 'tbody tr[data-id]' },
    { name: 'auto-promotion', path: '/special-offers/auto-promotion', ready: 'table.small tbody tr' },
    { name: 'banners', path: '/banners', ready: 'table.small' },
    { name: 'banner', path: '/banners/sidebar', ready: '.banner-preview' },
  ],
  configuration: [
    { name: 'settings', path: '/panel-settings', ready: '.settings .setting' },
    { name: 'notifications', path: '/panel-settings/notifications', ready: '.settings .card .tick' },
    { name: 'menu', path: '/menu-and-pages', ready: '.sortable li' },
    { name: 'menu items', path: '/menu-and-pages/items', ready: 'tbody tr[data-id]' },
    { name: 'custom menu items', path: '/menu-and-pages/custom', ready: '.added-items li' },
    { name: 'pages', path: '/menu-and-pages/pages', ready: 'tbody tr[data-id]' },
  ],
  'webhooks and system': [
    { name: 'webhooks', path: '/webhooks', ready: 'tbody tr[data-id]' },
    { name: 'system status', path: '/system-status', ready: 'table.small' },
    { name: 'quarantined work', path: '/system-status/quarantine', ready: 'h1' },
    { name: 'webhook', path: '/webhooks/1', ready: 'tbody tr[data-id]' },
  ],
};

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const WIDTHS = [1440, 768, 360] as const;
type Width = (typeof WIDTHS)[number];

/** The nightly run checks all rules in both color schemes. */
const CHECKS_ALL_RULES = process.env.PANEL_TEST_ALL_RULES === '1';

/**
 * Limits the slow axe runs. Windows below 1440 px have the same layout, so one color scheme at one width is enough. If only the
 * color scheme has changed since the last check, only the colors can have violations. Returns null if axe must not run.
 */
function selectRules(width: Width, theme: Theme, hasSwitchedTheme: boolean): RuleSet | null {
  if (width === 1440) return hasSwitchedTheme && !CHECKS_ALL_RULES ? 'colors' : 'all';
  return width === 768 && theme === 'light' ? 'all' : null;
}

const describeViolation = (violation: Result) => `${violation.id} ${violation.nodes[0]?.html}`;

async function fetchNewestOrder(staff: Staff): Promise<{ order: number; user: number }> {
  const query = '/api/v1/admin/orders?length=1';
  const { data } = await staff.get<{ data: [{ id: number; user: { id: number } }] }>(query);
  return { order: data[0].id, user: data[0].user.id };
}

/** Switches the color scheme with the button in the header, which does not reload the page. */
async function switchTheme(page: Page, theme: Theme): Promise<void> {
  const html = page.locator('html');
  if ((await html.getAttribute('data-theme')) === theme) return;
  await page.getByRole('button', { name: theme === 'dark' ? 'Dark theme' : 'Light theme' }).click();
  await expect(html).toHaveAttribute('data-theme', theme);
}

for (const [group, screens] of Object.entries(SCREENS_BY_GROUP)) {
  test(`every screen: ${group}`, async ({ staff, page }) => {
    test.setTimeout(screens.length * 20_000);
    const navigator = new Navigator(page);
    await staff.signIn();
    const { order, user } = await fetchNewestOrder(staff);
    const errors: string[] = [];

    const checkScreen = async ({ name, ready }: Screen, width: Width, theme: Theme, hasSwitchedTheme: boolean) => {
      const description = `${name} at ${width} in ${theme}`;
      await navigator.resize(width);
      const untilReady = page.locator(ready).first().waitFor({ timeout: 10_000 });
      await untilReady.catch(() => errors.push(`${description} shows no ${ready}`));
      if ((await navigator.horizontalOverflow()) > 0) errors.push(`${description} is wider than the window`);
      const rules = selectRules(width, theme, hasSwitchedTheme);
      if (!rules) return;
      const violations = await findViolations(page, rules);
      errors.push(...violations.map((violation) => `${description}: ${describeViolation(violation)}`));
    };

    // Each screen is opened once, at the largest width and in the color scheme that is still selected from the previous screen.
    const themes = [...THEMES];
    for (const screen of screens) {
      const path = screen.path.replace(':order', String(order)).replace(':user', String(user));
      await navigator.goTo(path);
      // Checks the path too, because the previous screen may have an element with the same selector.
      expect(await navigator.path(), screen.name).toBe(path.split('?')[0]);
      const [currentTheme, otherTheme] = themes as [Theme, Theme];
      for (const width of WIDTHS) await checkScreen(screen, width, currentTheme, false);
      await switchTheme(page, otherTheme);
      for (const width of WIDTHS.toReversed()) await checkScreen(screen, width, otherTheme, true);
      themes.reverse();
    }
    expect(errors).toEqual([]);
  });
}

for (const colorScheme of THEMES) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test('the sign-in page has no violations', async ({ staff, page }) => {
      await staff.open('/login');
      await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
      expect(await findViolations(page)).toEqual([]);
    });

    test('dialogs and menus have no violations', async ({ staff, page }) => {
      test.slow();
      const [id] = await staff.orderIds('in_processing', 1);
      await staff.signIn('admin', `/orders?id=${id}`);
      const errors: string[] = [];
      const checkAndClose = async (name: string) => {
        await expect(page.locator('.p-dialog-enter')).toHaveCount(0);
        const violations = await findViolations(page);
        errors.push(...violations.map((violation) => `${name}: ${describeViolation(violation)}`));
        await page.keyboard.press('Escape');
      };
      await page.getByRole('button', { name: `Actions for ${id}` }).click();
      await expect(page.getByRole('menuitem', { name: 'Open', exact: true })).toBeVisible();
      await checkAndClose('row menu');
      await page.getByRole('checkbox', { name: `Select ${id}` }).check();
      await page
        .getByRole('group', { name: 'Selected records' })
        .getByRole('button', { name: /^Cancel/ })
        .click();
      await expect(page.getByText('1 order will be canceled.')).toBeVisible();
      await checkAndClose('cancel');
      await page.getByRole('button', { name: 'Columns' }).click();
      await checkAndClose('columns');
      await page.keyboard.press('Control+k');
      await checkAndClose('palette');
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
      await checkAndClose('keyboard shortcuts');
      expect(errors).toEqual([]);
    });
  });
}
