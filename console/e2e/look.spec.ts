// Every screen in both themes: no fault that axe finds, nothing wider than the window, nothing in the log.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from './panel';

const SCREENS: readonly { name: string; path: string; ready: string }[] = [
  { name: 'home', path: '/', ready: '.counter strong' },
  { name: 'orders', path: '/orders', ready: 'tbody tr[data-id]' },
  { name: 'orders, nothing', path: '/orders?q=zzzzqqqq', ready: '.notice' },
  { name: 'subscriptions', path: '/subscriptions', ready: 'tbody tr[data-id]' },
  { name: 'combo orders', path: '/combo-orders', ready: 'tbody tr[data-id]' },
  { name: 'free trials', path: '/requests', ready: 'tbody tr[data-id]' },
  { name: 'quests', path: '/quests', ready: 'tbody tr[data-id]' },
  { name: 'drip-feeds', path: '/drip-feed', ready: 'tbody tr[data-id]' },
  { name: 'child panels', path: '/child-panels', ready: '.notice, tbody tr[data-id]' },
  { name: 'transactions', path: '/transactions', ready: 'tbody tr[data-id]' },
  { name: 'invoices', path: '/invoices?size=30', ready: 'tbody tr[data-id]' },
  { name: 'withdrawals', path: '/withdrawal?size=30', ready: 'tbody tr[data-id]' },
  { name: 'payment methods', path: '/payment-methods', ready: 'tbody tr[data-id]' },
  { name: 'payment method', path: '/payment-methods/3', ready: '.facts' },
  { name: 'bonuses', path: '/payment-method-bonuses/3', ready: 'table.small' },
  { name: 'users', path: '/users', ready: 'tbody tr[data-id]' },
  { name: 'services', path: '/services', ready: 'tbody tr[data-id]' },
  { name: 'service', path: '/services/5', ready: '.editor-part input' },
  { name: 'new service', path: '/services/create', ready: '.translated' },
  { name: 'service types', path: '/services/types', ready: 'tbody tr[data-id]' },
  { name: 'labels', path: '/services/labels', ready: 'tbody tr[data-id]' },
  { name: 'positions', path: '/services/positions', ready: '.sortable li' },
  { name: 'targets', path: '/targets', ready: 'tbody tr[data-id]' },
  { name: 'address checks', path: '/targets/groups', ready: 'table.small' },
  { name: 'packages', path: '/packages', ready: 'tbody tr[data-id]' },
  { name: 'package', path: '/packages/1', ready: '.totals dd' },
  { name: 'new package', path: '/packages/create', ready: '.translated' },
  { name: 'providers', path: '/providers', ready: 'tbody tr[data-id]' },
  { name: 'provider', path: '/providers/1', ready: '.record-grid' },
  { name: 'supply report', path: '/providers/report', ready: '.small tbody tr' },
  { name: 'external panel orders', path: '/external-panel-orders', ready: 'tbody tr[data-id]' },
  { name: "panels' packages", path: '/packages/providers', ready: 'tbody tr[data-id]' },
  { name: 'discounts', path: '/discounts', ready: 'tbody tr[data-id]' },
  { name: 'coupons', path: '/coupons', ready: 'tbody tr[data-id]' },
  { name: 'order widgets', path: '/order-widgets', ready: 'tbody tr[data-id]' },
  { name: 'order widget statistics', path: '/order-widgets/statistics', ready: '.totals dd' },
  { name: 'coupon statistics', path: '/coupons/statistics', ready: '.totals dd' },
  { name: 'special offers', path: '/special-offers', ready: 'tbody tr[data-id]' },
  { name: 'auto-promotion', path: '/special-offers/auto-promotion', ready: 'table.small tbody tr' },
  { name: 'banners', path: '/banners', ready: 'table.small' },
  { name: 'banner', path: '/banners/sidebar', ready: '.banner-preview' },
  { name: 'grades', path: '/loyalty-program', ready: 'tbody tr[data-id]' },
  { name: 'grade', path: '/loyalty-program/2', ready: '.facts' },
  { name: 'staff', path: '/staff', ready: 'tbody tr[data-id]' },
  { name: 'roles', path: '/staff/roles', ready: 'table.small' },
  { name: 'referrals', path: '/referral-program', ready: '.totals dd' },
  { name: 'referrals by person', path: '/referral-program?group_by=referral', ready: '.small tbody tr' },
  { name: 'audit log', path: '/audit-log', ready: 'tbody tr[data-id]' },
  { name: 'settings', path: '/panel-settings', ready: '.settings .setting' },
  { name: 'notifications', path: '/panel-settings/notifications', ready: '.settings .card .tick' },
  { name: 'menu', path: '/menu-and-pages', ready: '.sortable li' },
  { name: 'menu items', path: '/menu-and-pages/items', ready: 'tbody tr[data-id]' },
  { name: 'custom menu items', path: '/menu-and-pages/custom', ready: '.added-items li' },
  { name: 'pages', path: '/menu-and-pages/pages', ready: 'tbody tr[data-id]' },
  { name: 'change log', path: '/change-logs', ready: 'tbody tr[data-id]' },
  { name: 'external panels', path: '/external-panels', ready: 'tbody tr[data-id]' },
  { name: 'external panel', path: '/external-panels/2', ready: '.facts' },
  { name: 'billing of a panel', path: '/external-panels/2/billing', ready: 'tbody tr[data-id]' },
  { name: 'services of a panel', path: '/external-panels/1/services', ready: '.notice, tbody tr[data-id]' },
  { name: 'changes of a panel', path: '/external-panels/1/changes', ready: '.notice, tbody tr[data-id]' },
  { name: 'syncs of a panel', path: '/external-panels/1/syncs', ready: '.notice, tbody tr[data-id]' },
  { name: 'held changes', path: '/held-changes', ready: '.notice, tbody tr[data-id]' },
  { name: 'webhooks', path: '/webhooks', ready: 'tbody tr[data-id]' },
  { name: 'system status', path: '/system-status', ready: 'table.small' },
  { name: 'quarantined work', path: '/system-status/quarantine', ready: 'h1' },
  { name: 'webhook', path: '/webhooks/1', ready: 'tbody tr[data-id]' },
];

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test('sign-in', async ({ staff, page }) => {
      await staff.open('/login');
      await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    });

    test('every screen', async ({ staff, page }) => {
      test.setTimeout(SCREENS.length * 20_000);
      await staff.signIn();
      const { data } = await staff.get<{ data: { id: number; user: { id: number } }[] }>(
        '/api/v1/admin/orders?length=1',
      );
      const more = [
        { name: 'subscription', path: '/subscriptions/1', ready: '.facts' },
        { name: 'order', path: `/orders/${data[0]?.id}`, ready: '.facts' },
        { name: 'user', path: `/users/${data[0]?.user.id}`, ready: '.facts' },
        { name: "user's orders", path: `/users/${data[0]?.user.id}/orders`, ready: 'tbody tr[data-id]' },
        { name: "user's prices", path: `/users/${data[0]?.user.id}/prices`, ready: '.card' },
        { name: "user's affiliates", path: `/users/${data[0]?.user.id}/affiliates`, ready: '.card' },
        { name: "user's access", path: `/users/${data[0]?.user.id}/access`, ready: '.facts' },
        { name: "user's documents", path: `/users/${data[0]?.user.id}/documents`, ready: '.card' },
        { name: "user's history", path: `/users/${data[0]?.user.id}/history`, ready: '.grid' },
        { name: 'member', path: '/staff/1', ready: '.facts' },
      ];
      const found: string[] = [];
      for (const width of [1440, 768, 360]) {
        await page.setViewportSize({ width, height: 900 });
        for (const screen of [...SCREENS, ...more]) {
          await staff.open(screen.path);
          const ready = page.locator(screen.ready).first().waitFor({ timeout: 10_000 });
          await ready.catch(() => found.push(`${screen.name} at ${width} shows no ${screen.ready}`));
          const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
          if (wide) found.push(`${screen.name} at ${width} scrolls sideways`);
          // Narrower is laid out the same; colours differ by theme alone.
          if (width === 360 || (width === 768 && colorScheme === 'dark')) continue;
          const { violations } = await new AxeBuilder({ page }).analyze();
          found.push(...violations.map((one) => `${screen.name} at ${width}: ${one.id} ${one.nodes[0]?.html}`));
        }
      }
      expect(found).toEqual([]);
    });

    test('dialogs and menus', async ({ staff, page }) => {
      test.slow();
      const [id] = await staff.orders('in_processing', 1);
      await staff.signIn('admin', `/orders?id=${id}`);
      const found: string[] = [];
      const clean = async (name: string) => {
        await expect(page.locator('.p-dialog-enter')).toHaveCount(0);
        const { violations } = await new AxeBuilder({ page }).analyze();
        found.push(...violations.map((one) => `${name}: ${one.id} ${one.nodes[0]?.html}`));
        await page.keyboard.press('Escape');
      };
      await page.getByRole('button', { name: `Actions of ${id}` }).click();
      await expect(page.getByRole('menuitem', { name: 'Open', exact: true })).toBeVisible();
      await clean('row menu');
      await page.getByRole('checkbox', { name: `Select ${id}` }).check();
      await page
        .getByRole('group', { name: 'Selected records' })
        .getByRole('button', { name: /^Cancel/ })
        .click();
      await expect(page.getByText('1 of 1 can be changed.')).toBeVisible();
      await clean('cancel');
      await page.getByRole('button', { name: 'Columns' }).click();
      await clean('columns');
      await page.keyboard.press('Control+k');
      await clean('palette');
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keyboard' })).toBeVisible();
      await clean('keys');
      expect(found).toEqual([]);
    });
  });
}
