// Creates, sorts, disables and enables payment methods, and adds and deletes bonuses.
import { expect, REJECTED_REQUEST, test } from './panel';

const ONE_PIXEL_IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);

test.describe('forms with field errors', () => {
  test.use({ allowedLogs: [REJECTED_REQUEST] });

  test('a payment method is created after its field errors are corrected', async ({ staff, page }) => {
    await staff.signIn('admin', '/payment-methods');
    await page.getByRole('button', { name: 'New payment method' }).click();
    const dialog = page.getByRole('dialog', { name: 'New payment method' });
    await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByText('English name')).toBeVisible();
    await dialog.getByLabel('Name', { exact: true }).fill('Gift voucher');
    await dialog.getByLabel('Fee, %').first().fill('2,5');
    await dialog.locator('input[type=file]').first().setInputFiles({
      name: 'icon.png',
      mimeType: 'image/png',
      buffer: ONE_PIXEL_IMAGE,
    });
    await dialog.getByLabel('Name of a new secret').fill('api_key');
    await dialog.getByLabel('New secret', { exact: true }).fill('hush-hush');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
    const row = staff.rows().filter({ hasText: 'Gift voucher' });
    await expect(row.getByText('2.5')).toBeVisible();
    await row.getByRole('link', { name: 'Gift voucher' }).click();
    await expect(page.getByText('api_key is set')).toBeVisible();
    await expect(page.getByRole('img', { name: 'Icon' })).toBeVisible();
    // A change of another field must not remove the icon.
    await page.getByRole('button', { name: 'Edit' }).click();
    const editDialog = page.getByRole('dialog', { name: 'Edit' });
    await editDialog.getByLabel('Maximum amount').first().fill('250');
    await editDialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('$250', { exact: false })).toBeVisible();
    await expect(page.getByRole('img', { name: 'Icon' })).toBeVisible();
  });
});

test('payment methods are sorted by keyboard, and the sorting is saved', async ({ staff, page }) => {
  await staff.signIn('admin', '/payment-methods');
  const firstName = await staff.rows().first().getByRole('link').nth(1).textContent();
  await page.getByRole('button', { name: 'Positions' }).click();
  const dialog = page.getByRole('dialog', { name: 'Positions' });
  const handle = dialog.getByRole('button', { name: `Move ${firstName}`, exact: true });
  await expect(handle).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(dialog.getByRole('status')).toHaveText(new RegExp(`${firstName} moved to position 2 of`));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(staff.rows().nth(1)).toContainText(firstName ?? '');
});

test('a payment method is disabled and enabled again', async ({ staff, page }) => {
  await staff.signIn('admin', '/payment-methods/2');
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Disable payment method' }).click();
  await expect(page.getByText('Disabled', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
});

test('a bonus is added and deleted', async ({ staff, page }) => {
  await staff.signIn('admin', '/payment-method-bonuses/2');
  await page.getByRole('button', { name: 'New bonus' }).click();
  const dialog = page.getByRole('dialog', { name: 'New bonus' });
  await dialog.getByLabel('From amount').fill('750');
  await dialog.getByLabel('Bonus, %').fill('7.5');
  await dialog.getByText('Enabled', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  const row = page.locator('table.small tbody tr').filter({ hasText: '750' });
  await expect(row).toContainText('7.5');
  await row.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('button', { name: 'Delete bonus' }).click();
  await expect(row).toHaveCount(0);
});

test('staff without permission are redirected from payment methods', async ({ staff, page }) => {
  await staff.signIn('moderator', '/payment-methods');
  await expect(page.getByRole('link', { name: 'Payment methods' })).toHaveCount(0);
  await expect(page).toHaveURL(/\/services(\?|$)/);
});
