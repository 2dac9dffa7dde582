// Finds counters and customers with the command palette, and checks the permissions.
import { expect, test } from './panel';

test('the command palette opens the list of a counter', async ({ staff, page }) => {
  await staff.signIn();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Jump to…' }).fill('moderation');
  await page
    .getByRole('option', { name: /moderation/i })
    .first()
    .click();
  await expect(page).toHaveURL(/\/orders\?.*status=in_moderation/);
});

test('the command palette finds a customer by a one-digit id', async ({ staff, page }) => {
  await staff.signIn();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Jump to…' }).fill('7');
  await page
    .locator('[role=option]', { has: page.locator('.pi-user') })
    .first()
    .click();
  await expect(page).toHaveURL(/\/users\/\d+/);
});

test('the command palette does not offer customers to staff without permission', async ({ staff, page }) => {
  await staff.signIn('catalogue');
  await page.keyboard.press('Control+k');
  const search = page.getByRole('combobox', { name: 'Jump to…' });
  await search.fill('admin@panel.test');
  await expect(page.locator('.palette .none')).toBeVisible();
  await search.fill('Customers');
  await expect(page.getByRole('option', { name: /^Customers/ })).toHaveCount(0);
});
