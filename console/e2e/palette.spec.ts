// The command palette: screens, counters, orders and customers, depending on the permissions.
import { expect, test } from './panel';

test('the palette links to the list of a live counter', async ({ staff, page }) => {
  await staff.signIn();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Jump to…' }).fill('moderation');
  await page
    .getByRole('option', { name: /moderation/i })
    .first()
    .click();
  await expect(page).toHaveURL(/\/orders\?.*status=in_moderation/);
});

test('the palette finds a customer by a short id', async ({ staff, page }) => {
  await staff.signIn();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Jump to…' }).fill('7');
  await page
    .locator('[role=option]', { has: page.locator('.pi-user') })
    .first()
    .click();
  await expect(page).toHaveURL(/\/users\/\d+/);
});

test('the palette offers nothing without permission', async ({ staff, page }) => {
  await staff.signIn('catalogue');
  await page.keyboard.press('Control+k');
  const search = page.getByRole('combobox', { name: 'Jump to…' });
  await search.fill('admin@panel.test');
  await expect(page.locator('.palette .none')).toBeVisible();
  await search.fill('Customers');
  await expect(page.getByRole('option', { name: /^Customers/ })).toHaveCount(0);
});
