// What staff decide about the whole panel, seen in the browser and checked on the server.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, REFUSED, type Staff, test } from './panel';

interface Answer {
  data: {
    panel_name: string;
    rounding_precision: number;
    min_margin_percent: string | null;
    colors: { dark: { primary: string } };
    currencies: { exchange_rates: Record<string, string> };
    integrations: { telegram_bot_token: { is_set: boolean }; custom_html: string | null };
  };
}

const settings = (staff: Staff) => staff.get<Answer>('/api/v1/admin/settings').then(({ data }) => data);

test('settings of several groups are found, changed and saved together', async ({ staff, page }) => {
  await staff.signIn('admin', '/panel-settings');
  const find = page.getByLabel('Find a setting');
  await find.fill('least margin of resold');
  await expect(page.locator('.setting')).toHaveCount(1);
  await page.getByLabel('Least margin of resold services').fill('12.5');
  await find.fill('');
  await page.getByRole('tab', { name: 'Currencies' }).click();
  await page.getByLabel('Rate of EUR').fill('0.915');
  await page.getByRole('tab', { name: 'Colours' }).click();
  const primary = page.locator('[data-key="colors.dark.primary"]');
  await primary.locator('input.input').fill('#202020');
  await expect(primary).toContainText('Too little contrast');
  await primary.locator('input.input').fill('#ffffff');
  await expect(primary).toContainText('Enough contrast for all text');
  await expect(page.getByText('Changed and not saved: 4')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const after = await settings(staff);
  expect([after.min_margin_percent, after.colors.dark.primary]).toEqual(['0.125', '#ffffff']);
  expect(after.currencies.exchange_rates.EUR).toBe('0.915');
});

test('a wrong setting is named at its place, and what is not saved is not lost by accident', async ({
  staff,
  page,
  mayLog,
}) => {
  mayLog.push(REFUSED);
  await staff.signIn('admin', '/panel-settings');
  await page.getByRole('tab', { name: 'Orders' }).click();
  await page.getByLabel('Decimals of charges and refunds').fill('9');
  await page.getByRole('tab', { name: 'Customers' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('tab', { name: /^Orders/ })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('Give a whole number from 0 to 6.')).toBeVisible();
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByRole('link', { name: 'Notifications' }).click();
  await expect(page).toHaveURL(/\/panel-settings$/);
  expect((await settings(staff)).rounding_precision).toBe(2);
});

test('a secret is set and never shown, and HTML is previewed without its scripts', async ({ staff, page, mayLog }) => {
  // The frame may not run what it holds: the browser says so.
  mayLog.push(/Blocked script execution|Content Security Policy/);
  await staff.signIn('admin', '/panel-settings');
  await page.getByRole('tab', { name: 'Integrations' }).click();
  await page.getByRole('button', { name: 'Enter: Telegram bot token' }).click();
  await page.getByLabel('Telegram bot token').fill('7:secret');
  await page.getByLabel('Own HTML').fill('<b id="shown">Hello</b><script>parent.document.title = "broken"</script>');
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('#shown')).toHaveText('Hello');
  await expect(page.locator('iframe')).toHaveAttribute('sandbox', '');
  await expect(page).not.toHaveTitle(/broken/);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('[data-key="integrations.telegram_bot_token"]')).toContainText('Set');
  const after = await settings(staff);
  expect(after.integrations.telegram_bot_token).toEqual({ is_set: true });
  expect(await page.content()).not.toContain('7:secret');
});

test('who is told of what is decided', async ({ staff, page }) => {
  await staff.signIn('admin', '/panel-settings/notifications');
  await page.getByLabel('An invoice was paid.').uncheck();
  await page.getByRole('region', { name: 'What is told' }).getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const { data } = await staff.get<{ data: { panel_notifications: { notification: string; is_enabled: boolean }[] } }>(
    '/api/v1/admin/notifications',
  );
  const off = data.panel_notifications.filter(({ is_enabled }) => !is_enabled);
  expect(off.map(({ notification }) => notification)).toEqual(['invoice_paid']);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
});

test('a panel without a translator says so', async ({ staff, page }) => {
  await staff.signIn('admin', '/menu-and-pages/pages');
  await page.getByRole('button', { name: 'New page' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Contact');
  await page.getByRole('button', { name: 'Translate the missing ones' }).click();
  await expect(page.getByText('No translator is configured on the server')).toBeVisible();
});

test('the menu is put in order by keys, with a draft and a refused item', async ({ staff, page, mayLog }) => {
  mayLog.push(REFUSED);
  await staff.signIn('admin', '/menu-and-pages');
  await page.getByRole('button', { name: 'New item' }).click();
  const draft = page.getByRole('region', { name: 'Not named yet' });
  await draft.getByLabel('Name', { exact: true }).fill('Partners');
  const form = page.getByRole('region', { name: 'Partners' });
  await form.getByLabel('Address').fill('partners');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByText('Give a path that begins with /')).toBeVisible();
  await form.getByLabel('Address').fill('/partners');
  await page.getByRole('button', { name: 'Put Partners below the one above' }).click();
  await page.locator('li', { hasText: 'Home' }).locator('.sort-handle').press('ArrowDown');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const { data } = await staff.get<{ data: { name: string; sorting: number; parent: { name: string } | null }[] }>(
    '/api/v1/admin/panel-menu-items?is_archived=0&length=100',
  );
  const order = data.toSorted((a, b) => a.sorting - b.sorting);
  expect(order[0]?.name).toBe('Services');
  expect(order.find(({ name }) => name === 'Partners')?.parent?.name).toBe('Help');
});

test('who may not is refused', async ({ staff, page }) => {
  await staff.signIn('catalogue', '/');
  for (const path of ['/panel-settings', '/menu-and-pages']) {
    await staff.open(path);
    await expect(page).not.toHaveURL(new RegExp(path));
  }
});
