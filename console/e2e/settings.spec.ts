// Edits the settings, the notifications and the menu in the browser, and checks the result on the server.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, REJECTED_REQUEST, type Staff, test } from './panel';

interface SettingsResponse {
  data: {
    panel_name: string;
    rounding_precision: number;
    min_margin_fraction: string | null;
    colors: { dark: { primary: string } };
    currencies: { exchange_rates: Record<string, string> };
    integrations: { telegram_bot_token: { is_set: boolean }; custom_html: string | null };
  };
}

const fetchSettings = (staff: Staff) => staff.get<SettingsResponse>('/api/v1/admin/settings').then(({ data }) => data);

test('one save sends the settings of several groups', async ({ staff, page }) => {
  await staff.signIn('admin', '/panel-settings');
  const search = page.getByLabel('Find a setting');
  await search.fill('minimum margin of resold');
  await expect(page.locator('.setting')).toHaveCount(1);
  await page.getByLabel('Minimum margin of resold services').fill('12.5');
  await search.fill('');
  await page.getByRole('tab', { name: 'Currencies' }).click();
  await page.getByLabel('Rate of EUR').fill('0.915');
  await page.getByRole('tab', { name: 'Colors' }).click();
  const primary = page.locator('[data-key="colors.dark.primary"]');
  await primary.locator('input.input').fill('#202020');
  await expect(primary).toContainText('Too little contrast');
  await primary.locator('input.input').fill('#ffffff');
  await expect(primary).toContainText('Enough contrast for all text');
  await expect(page.getByText('Unsaved changes: 4')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const savedSettings = await fetchSettings(staff);
  expect([savedSettings.min_margin_fraction, savedSettings.colors.dark.primary]).toEqual(['0.125', '#ffffff']);
  expect(savedSettings.currencies.exchange_rates.EUR).toBe('0.915');
});

test('the field of an invalid setting shows an error, and leaving asks before it discards unsaved settings', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(REJECTED_REQUEST);
  await staff.signIn('admin', '/panel-settings');
  await page.getByRole('tab', { name: 'Orders' }).click();
  await page.getByLabel('Decimals of charges and refunds').fill('9');
  await page.getByRole('tab', { name: 'Customers' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('tab', { name: /^Orders/ })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('Enter a whole number from 0 to 6.')).toBeVisible();
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByRole('link', { name: 'Notifications' }).click();
  await expect(page).toHaveURL(/\/panel-settings$/);
  expect((await fetchSettings(staff)).rounding_precision).toBe(2);
});

test('a saved secret is never shown, and the preview of custom HTML does not run scripts', async ({
  staff,
  page,
  allowedLogs,
}) => {
  // The browser logs that the sandboxed frame blocks scripts.
  allowedLogs.push(/Blocked script execution|Content Security Policy/);
  await staff.signIn('admin', '/panel-settings');
  await page.getByRole('tab', { name: 'Integrations' }).click();
  await page.getByRole('button', { name: 'Enter: Telegram bot token' }).click();
  await page.getByLabel('Telegram bot token').fill('7:secret');
  await page.getByLabel('Custom HTML').fill('<b id="shown">Hello</b><script>parent.document.title = "broken"</script>');
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('#shown')).toHaveText('Hello');
  await expect(page.locator('iframe')).toHaveAttribute('sandbox', '');
  await expect(page).not.toHaveTitle(/broken/);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('[data-key="integrations.telegram_bot_token"]')).toContainText('Set');
  const savedSettings = await fetchSettings(staff);
  expect(savedSettings.integrations.telegram_bot_token).toEqual({ is_set: true });
  expect(await page.content()).not.toContain('7:secret');
});

test('the recipients of notifications are configured', async ({ staff, page }) => {
  await staff.signIn('admin', '/panel-settings/notifications');
  await page.getByLabel('An invoice was paid.').uncheck();
  await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const { data } = await staff.get<{ data: { panel_notifications: { notification: string; is_enabled: boolean }[] } }>(
    '/api/v1/admin/notifications',
  );
  const disabledNotifications = data.panel_notifications.filter(({ is_enabled }) => !is_enabled);
  expect(disabledNotifications.map(({ notification }) => notification)).toEqual(['invoice_paid']);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
});

test('translating texts shows an error if no translation service is configured', async ({ staff, page }) => {
  await staff.signIn('admin', '/menu-and-pages/pages');
  await page.getByRole('button', { name: 'New page' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Contact');
  await page.getByRole('button', { name: 'Translate missing texts' }).click();
  await expect(page.getByText('No translation service is configured')).toBeVisible();
});

test('a menu item with an invalid URL is rejected, and is saved after a correction; the menu is sorted by keyboard', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(REJECTED_REQUEST);
  await staff.signIn('admin', '/menu-and-pages');
  await page.getByRole('button', { name: 'New item' }).click();
  const unnamedItem = page.getByRole('region', { name: 'Unnamed' });
  await unnamedItem.getByLabel('Name', { exact: true }).fill('Partners');
  const partnersItem = page.getByRole('region', { name: 'Partners' });
  await partnersItem.getByLabel('URL').fill('partners');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(partnersItem.getByText('Enter a path that begins with /')).toBeVisible();
  await partnersItem.getByLabel('URL').fill('/partners');
  await page.getByRole('button', { name: 'Move Partners under the item above' }).click();
  await page.locator('li', { hasText: 'Home' }).locator('.sort-handle').press('ArrowDown');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const { data } = await staff.get<{ data: { name: string; sorting: number; parent: { name: string } | null }[] }>(
    '/api/v1/admin/panel-menu-items?is_archived=0&length=100',
  );
  const sortedItems = data.toSorted((a, b) => a.sorting - b.sorting);
  expect(sortedItems[0]?.name).toBe('Services');
  expect(sortedItems.find(({ name }) => name === 'Partners')?.parent?.name).toBe('Help');
});

test('staff without permission are redirected from settings and menu', async ({ staff, page }) => {
  await staff.signIn('catalogue', '/');
  for (const path of ['/panel-settings', '/menu-and-pages']) {
    await staff.open(path);
    await expect(page).not.toHaveURL(new RegExp(path));
  }
});
