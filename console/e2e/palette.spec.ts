// The palette: screens, what waits, orders and customers, each for those who may go there.
import { expect, test } from './panel';

test('it leads to what a live counter counts', async ({ staff, page }) => {
  await staff.signIn();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Jump to…' }).fill('moderation');
  await page
    .getByRole('option', { name: /moderation/i })
    .first()
    .click();
  await expect(page).toHaveURL(/\/orders\?.*status=in_moderation/);
});

test('a customer is found by a short id', async ({ staff, page }) => {
  await staff.signIn();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Jump to…' }).fill('7');
  await page
    .locator('[role=option]', { has: page.locator('.pi-user') })
    .first()
    .click();
  await expect(page).toHaveURL(/\/users\/\d+/);
});

test('it offers nothing that one may not open', async ({ staff, page }) => {
  await staff.signIn('catalogue');
  await page.keyboard.press('Control+k');
  const find = page.getByRole('combobox', { name: 'Jump to…' });
  await find.fill('admin@panel.test');
  await expect(page.locator('.palette .none')).toBeVisible();
  await find.fill('Users');
  await expect(page.getByRole('option', { name: /^Users/ })).toHaveCount(0);
});
