// Opens every screen in both color schemes. Checks that axe finds no accessibility violations, that no element is wider than the
// window, and that the browser logs no error or warning.
import type { Page } from '@playwright/test';
import type { Result } from 'axe-core';
import { findViolations, type RuleSet } from './axe';
import { Navigator } from './navigator';
import { expect, type Staff, test } from './panel';

interface Screen {
  name: string;
  /** The URL path. The test replaces `:order` by the id of the newest order, and `:user` by the id of its customer. */
  path: string;
  /** CSS selector of an element that is visible after the screen has loaded its records. */
  readySelector: string;
}

/** Each group is a separate test, so that the workers check the groups in parallel. */
const SCREENS_BY_GROUP: Readonly<Record<string, readonly Screen[]>> = {
  'home and orders': [
    { name: 'home', path: '/', readySelector: '.counter strong' },
    { name: 'orders', path: '/orders', readySelector: 'tbody tr[data-id]' },
    { name: 'orders, empty', path: '/orders?q=zzzzqqqq', readySelector: '.notice' },
    { name: 'subscriptions', path: '/subscriptions', readySelector: 'tbody tr[data-id]' },
    { name: 'combo orders', path: '/combo-orders', readySelector: 'tbody tr[data-id]' },
    { name: 'drip-feeds', path: '/drip-feed', readySelector: 'tbody tr[data-id]' },
    { name: 'child panels', path: '/child-panels', readySelector: '.notice, tbody tr[data-id]' },
    { name: 'subscription', path: '/subscriptions/1', readySelector: '.facts' },
    { name: 'order', path: '/orders/:order', readySelector: '.facts' },
  ],
  'free trials and money': [
    { name: 'free trials', path: '/requests', readySelector: 'tbody tr[data-id]' },
    { name: 'cancel requests', path: '/cancel-requests', readySelector: 'tbody tr[data-id]' },
    { name: 'quests', path: '/quests', readySelector: 'tbody tr[data-id]' },
    { name: 'transactions', path: '/transactions', readySelector: 'tbody tr[data-id]' },
    { name: 'invoices', path: '/invoices?size=30', readySelector: 'tbody tr[data-id]' },
    { name: 'withdrawals', path: '/withdrawal?size=30', readySelector: 'tbody tr[data-id]' },
    { name: 'payment methods', path: '/payment-methods', readySelector: 'tbody tr[data-id]' },
    { name: 'payment method', path: '/payment-methods/3', readySelector: '.facts' },
    { name: 'bonuses', path: '/payment-method-bonuses/3', readySelector: 'table.small' },
  ],
  people: [
    { name: 'profile', path: '/profile/sessions', readySelector: 'table.small tbody tr' },
    { name: 'users', path: '/users', readySelector: 'tbody tr[data-id]' },
    { name: 'grades', path: '/loyalty-program', readySelector: 'tbody tr[data-id]' },
    { name: 'grade', path: '/loyalty-program/2', readySelector: '.facts' },
    { name: 'staff', path: '/staff', readySelector: 'tbody tr[data-id]' },
    { name: 'roles', path: '/staff/roles', readySelector: 'table.small' },
    { name: 'referrals', path: '/referral-program', readySelector: '.totals dd' },
    { name: 'referrals by customer', path: '/referral-program?group_by=referral', readySelector: '.small tbody tr' },
    { name: 'audit log', path: '/audit-log', readySelector: 'tbody tr[data-id]' },
    { name: 'member', path: '/staff/1', readySelector: '.facts' },
  ],
  'a customer': [
    { name: 'user', path: '/users/:user', readySelector: '.facts' },
    { name: "user's orders", path: '/users/:user/orders', readySelector: 'tbody tr[data-id]' },
    { name: "user's prices", path: '/users/:user/prices', readySelector: '.card' },
    { name: "user's affiliates", path: '/users/:user/affiliates', readySelector: '.card' },
    { name: "user's access", path: '/users/:user/access', readySelector: '.facts' },
    { name: "user's documents", path: '/users/:user/documents', readySelector: '.card' },
    { name: "user's history", path: '/users/:user/history', readySelector: '.grid' },
  ],
  services: [
    { name: 'services', path: '/services', readySelector: 'tbody tr[data-id]' },
    { name: 'service', path: '/services/5', readySelector: '.editor-part input' },
    { name: 'new service', path: '/services/create', readySelector: '.translated' },
    { name: 'service types', path: '/services/types', readySelector: 'tbody tr[data-id]' },
    { name: 'labels', path: '/services/labels', readySelector: 'tbody tr[data-id]' },
    { name: 'positions', path: '/services/positions', readySelector: '.sortable li' },
    { name: 'targets', path: '/targets', readySelector: 'tbody tr[data-id]' },
    { name: 'URL checks', path: '/targets/groups', readySelector: 'table.small' },
  ],
  packages: [
    { name: 'packages', path: '/packages', readySelector: 'tbody tr[data-id]' },
    { name: 'package', path: '/packages/1', readySelector: '.totals dd' },
    { name: 'new package', path: '/packages/create', readySelector: '.translated' },
    { name: 'packages of external panels', path: '/packages/providers', readySelector: 'tbody tr[data-id]' },
    { name: 'change log', path: '/change-logs', readySelector: 'tbody tr[data-id]' },
  ],
  providers: [
    { name: 'providers', path: '/providers', readySelector: 'tbody tr[data-id]' },
    { name: 'provider', path: '/providers/1', readySelector: '.record-grid' },
    { name: 'supply report', path: '/providers/report', readySelector: '.small tbody tr' },
    { name: 'external panel orders', path: '/external-panel-orders', readySelector: 'tbody tr[data-id]' },
    { name: 'held changes', path: '/held-changes', readySelector: '.notice, tbody tr[data-id]' },
  ],
  'external panels': [
    { name: 'external panels', path: '/external-panels', readySelector: 'tbody tr[data-id]' },
    { name: 'external panel', path: '/external-panels/2', readySelector: '.facts' },
    { name: 'billing of a panel', path: '/external-panels/2/billing', readySelector: 'tbody tr[data-id]' },
    { name: 'services of a panel', path: '/external-panels/1/services', readySelector: '.notice, tbody tr[data-id]' },
    { name: 'changes of a panel', path: '/external-panels/1/changes', readySelector: '.notice, tbody tr[data-id]' },
    { name: 'syncs of a panel', path: '/external-panels/1/syncs', readySelector: '.notice, tbody tr[data-id]' },
  ],
  'discounts and coupons': [
    { name: 'discounts', path: '/discounts', readySelector: 'tbody tr[data-id]' },
    { name: 'coupons', path: '/coupons', readySelector: 'tbody tr[data-id]' },
    { name: 'order widgets', path: '/order-widgets', readySelector: 'tbody tr[data-id]' },
    { name: 'order widget statistics', path: '/order-widgets/statistics', readySelector: '.totals dd' },
    { name: 'coupon statistics', path: '/coupons/statistics', readySelector: '.totals dd' },
  ],
  'offers and banners': [
    { name: 'special offers', path: '/special-offers', readySelector: 'tbody tr[data-id]' },
    { name: 'auto-promotion', path: '/special-offers/auto-promotion', readySelector: 'table.small tbody tr' },
    { name: 'banners', path: '/banners', readySelector: 'table.small' },
    { name: 'banner', path: '/banners/sidebar', readySelector: '.banner-preview' },
  ],
  configuration: [
    { name: 'settings', path: '/panel-settings', readySelector: '.settings .setting' },
    { name: 'notifications', path: '/panel-settings/notifications', readySelector: '.settings .card .tick' },
    { name: 'menu', path: '/menu-and-pages', readySelector: '.sortable li' },
    { name: 'menu items', path: '/menu-and-pages/items', readySelector: 'tbody tr[data-id]' },
    { name: 'custom menu items', path: '/menu-and-pages/custom', readySelector: '.added-items li' },
    { name: 'pages', path: '/menu-and-pages/pages', readySelector: 'tbody tr[data-id]' },
  ],
  'webhooks and system': [
    { name: 'webhooks', path: '/webhooks', readySelector: 'tbody tr[data-id]' },
    { name: 'system status', path: '/system-status', readySelector: 'table.small' },
    { name: 'quarantined work', path: '/system-status/quarantine', readySelector: 'h1' },
    { name: 'webhook', path: '/webhooks/1', readySelector: 'tbody tr[data-id]' },
  ],
};

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const WIDTHS = [1440, 768, 360] as const;
type Width = (typeof WIDTHS)[number];

/** Set in the nightly run, which checks all rules in both color schemes. */
const CHECKS_ALL_RULES = process.env.PANEL_TEST_ALL_RULES === '1';

/**
 * Selects the rules for axe, which is slow. Windows below 1440 px have the same layout, so one color scheme at one width is enough. If
 * only the color scheme has changed since the last check, only the color rules can find violations. Returns null if axe need not run.
 */
function selectRules(width: Width, theme: Theme, hasSwitchedTheme: boolean): RuleSet | null {
  if (width === 1440) return hasSwitchedTheme && !CHECKS_ALL_RULES ? 'colors' : 'all';
  return width === 768 && theme === 'light' ? 'all' : null;
}

const formatViolation = (violation: Result) => `${violation.id} ${violation.nodes[0]?.html}`;

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
  test(`no screen has accessibility violations: ${group}`, async ({ staff, page }) => {
    test.setTimeout(screens.length * 20_000);
    const navigator = new Navigator(page);
    await staff.signIn();
    const { order, user } = await fetchNewestOrder(staff);
    const errors: string[] = [];

    const checkScreen = async (
      { name, readySelector }: Screen,
      width: Width,
      theme: Theme,
      hasSwitchedTheme: boolean,
    ) => {
      const description = `${name} at ${width} in ${theme}`;
      await navigator.resize(width);
      const readiness = page.locator(readySelector).first().waitFor({ timeout: 10_000 });
      await readiness.catch(() => errors.push(`${description} shows no ${readySelector}`));
      if ((await navigator.measureHorizontalOverflow()) > 0) errors.push(`${description} is wider than the window`);
      const rules = selectRules(width, theme, hasSwitchedTheme);
      if (!rules) return;
      const violations = await findViolations(page, rules);
      errors.push(...violations.map((violation) => `${description}: ${formatViolation(violation)}`));
    };

    // Opens each screen once, at the largest width and in the color scheme of the previous screen.
    const themes = [...THEMES];
    for (const screen of screens) {
      const path = screen.path.replace(':order', String(order)).replace(':user', String(user));
      await navigator.goTo(path);
      // Checks the path too, because the previous screen may have an element with the same selector.
      expect(await navigator.getCurrentPath(), screen.name).toBe(path.split('?')[0]);
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

    test('the sign-in page has no accessibility violations', async ({ staff, page }) => {
      await staff.open('/login');
      await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
      expect(await findViolations(page)).toEqual([]);
    });

    test('dialogs and menus have no accessibility violations', async ({ staff, page }) => {
      test.slow();
      const [id] = await staff.fetchOrderIds('in_processing', 1);
      await staff.signIn('admin', `/orders?id=${id}`);
      const errors: string[] = [];
      const checkAndClose = async (name: string) => {
        await expect(page.locator('.p-dialog-enter')).toHaveCount(0);
        const violations = await findViolations(page);
        errors.push(...violations.map((violation) => `${name}: ${formatViolation(violation)}`));
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
