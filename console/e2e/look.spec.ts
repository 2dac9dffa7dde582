// Every screen in both color schemes: no accessibility violations, nothing wider than the window, no console messages.
import type { Page } from '@playwright/test';
import type { Result } from 'axe-core';
import { type Rules, violations } from './axe';
import { Navigator } from './navigator';
import { expect, type Staff, test } from './panel';

interface Screen {
  name: string;
  /** `:order` and `:user` are replaced by the newest order and its customer. */
  path: string;
  /** Text that is visible after the records have loaded. */
  ready: string;
}

/** One test per part, so that the workers run them in parallel. */
const SCREENS: Readonly<Record<string, readonly Screen[]>> = {
  'home and orders': [
    { name: 'home', path: '/', ready: '.counter strong' },
    { name: 'orders', path: '/orders', ready: 'tbody tr[data-id]' },
    { name: 'orders, nothing', path: '/orders?q=zzzzqqqq', ready: '.notice' },
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
    { name: 'referrals by person', path: '/referral-program?group_by=referral', ready: '.small tbody tr' },
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
    { name: 'address checks', path: '/targets/groups', ready: 'table.small' },
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
const ALL_RULES = process.env.PANEL_TEST_ALL_RULES === '1';

/** Narrower windows have the same layout. After switching the color scheme at the same width, mainly colors differ. */
function rulesAt(width: Width, theme: Theme, isSwitched: boolean): Rules | null {
  if (width === 1440) return isSwitched && !ALL_RULES ? 'colors' : 'all';
  return width === 768 && theme === 'light' ? 'all' : null;
}

const described = (one: Result) => `${one.id} ${one.nodes[0]?.html}`;

async function newest(staff: Staff): Promise<{ order: number; user: number }> {
  const query = '/api/v1/admin/orders?length=1';
  const { data } = await staff.get<{ data: [{ id: number; user: { id: number } }] }>(query);
  return { order: data[0].id, user: data[0].user.id };
}

/** The button in the header switches the color scheme without a reload. */
async function switchTheme(page: Page, theme: Theme): Promise<void> {
  const html = page.locator('html');
  if ((await html.getAttribute('data-theme')) === theme) return;
  await page.getByRole('button', { name: theme === 'dark' ? 'Dark theme' : 'Light theme' }).click();
  await expect(html).toHaveAttribute('data-theme', theme);
}

for (const [part, screens] of Object.entries(SCREENS)) {
  test(`every screen: ${part}`, async ({ staff, page }) => {
    test.setTimeout(screens.length * 20_000);
    const navigator = new Navigator(page);
    await staff.signIn();
    const { order, user } = await newest(staff);
    const errors: string[] = [];

    const look = async ({ name, ready }: Screen, width: Width, theme: Theme, isSwitched: boolean) => {
      const place = `${name} at ${width} in ${theme}`;
      await navigator.resize(width);
      const isReady = page.locator(ready).first().waitFor({ timeout: 10_000 });
      await isReady.catch(() => errors.push(`${place} shows no ${ready}`));
      if ((await navigator.overflow()) > 0) errors.push(`${place} scrolls sideways`);
      const rules = rulesAt(width, theme, isSwitched);
      if (!rules) return;
      errors.push(...(await violations(page, rules)).map((one) => `${place}: ${described(one)}`));
    };

    // Each screen is opened once, at the largest width, in the color scheme in which the previous one ended.
    const themes = [...THEMES];
    for (const screen of screens) {
      const path = screen.path.replace(':order', String(order)).replace(':user', String(user));
      await navigator.to(path);
      // The previous screen may have the awaited text too.
      expect(await navigator.path(), screen.name).toBe(path.split('?')[0]);
      const [first, second] = themes as [Theme, Theme];
      for (const width of WIDTHS) await look(screen, width, first, false);
      await switchTheme(page, second);
      for (const width of WIDTHS.toReversed()) await look(screen, width, second, true);
      themes.reverse();
    }
    expect(errors).toEqual([]);
  });
}

for (const colorScheme of THEMES) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test('sign-in', async ({ staff, page }) => {
      await staff.open('/login');
      await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
      expect(await violations(page)).toEqual([]);
    });

    test('dialogs and menus', async ({ staff, page }) => {
      test.slow();
      const [id] = await staff.orders('in_processing', 1);
      await staff.signIn('admin', `/orders?id=${id}`);
      const errors: string[] = [];
      const clean = async (name: string) => {
        await expect(page.locator('.p-dialog-enter')).toHaveCount(0);
        errors.push(...(await violations(page)).map((one) => `${name}: ${described(one)}`));
        await page.keyboard.press('Escape');
      };
      await page.getByRole('button', { name: `Actions for ${id}` }).click();
      await expect(page.getByRole('menuitem', { name: 'Open', exact: true })).toBeVisible();
      await clean('row menu');
      await page.getByRole('checkbox', { name: `Select ${id}` }).check();
      await page
        .getByRole('group', { name: 'Selected records' })
        .getByRole('button', { name: /^Cancel/ })
        .click();
      await expect(page.getByText('1 of 1 selected will be changed.')).toBeVisible();
      await clean('cancel');
      await page.getByRole('button', { name: 'Columns' }).click();
      await clean('columns');
      await page.keyboard.press('Control+k');
      await clean('palette');
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
      await clean('keys');
      expect(errors).toEqual([]);
    });
  });
}
