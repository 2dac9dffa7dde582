// Creates and changes order widgets, copies their code, and opens their statistics.
import { expect, REJECTED_REQUEST, test } from './panel';

interface Widget {
  id: number;
  name: string;
  reward_fraction: string;
  payment_methods: number[];
  embed: string | null;
}

test.describe('forms with field errors', () => {
  test.use({ allowedLogs: [REJECTED_REQUEST] });

  test('a widget is created for its owner, changed, and its code is copied', async ({ staff, page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await staff.signIn('admin', '/order-widgets');
    await page.getByRole('button', { name: 'New order widget' }).click();
    const dialog = page.getByRole('dialog', { name: 'New order widget' });
    await dialog.getByRole('button', { name: 'New order widget' }).click();
    await expect(dialog.getByText('Enter a name.')).toBeVisible();
    await expect(dialog.getByText('Choose an owner.')).toBeVisible();
    await dialog.getByLabel('Name', { exact: true }).fill('<b>Blog</b>');
    await dialog.getByRole('combobox', { name: 'Owner' }).fill('50');
    await staff.selectOption();
    await dialog.getByLabel('Reward, %').fill('7,5');
    await dialog.locator('.p-dropdown').last().click();
    await staff.selectOption();
    await dialog.getByRole('button', { name: 'New order widget' }).click();
    await expect(dialog).toHaveCount(0);
    const row = staff.rows().filter({ hasText: '<b>Blog</b>' });
    await expect(row).toContainText('7.5');
    const id = await row.getAttribute('data-id');
    await row.getByRole('button', { name: 'Code to embed' }).click();
    const codeDialog = page.getByRole('dialog', { name: 'Code to embed' });
    await expect(codeDialog.locator('code')).toContainText('&lt;b&gt;Blog&lt;/b&gt;');
    await codeDialog.getByRole('button', { name: 'Copy code' }).click();
    const { data } = await staff.get<{ data: Widget }>(`/api/v1/admin/order-widgets/${id}`);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(data.embed);
    expect([data.reward_fraction, data.payment_methods.length]).toEqual(['0.075', 1]);
    await codeDialog.locator('footer, .p-dialog-footer').getByRole('button', { name: 'Close' }).click();
    await row.getByRole('button', { name: '<b>Blog</b>' }).click();
    const editor = page.getByRole('dialog', { name: 'Edit order widget' });
    await editor.getByLabel('Minimum cost').fill('2,50');
    await editor.getByRole('button', { name: 'Save' }).click();
    await expect(row).toContainText('2.50');
  });
});

test('the statistics are grouped by day and by widget', async ({ staff, page }) => {
  await staff.signIn('admin', '/order-widgets/statistics');
  await expect(page.locator('.totals dd').first()).not.toHaveText('0');
  await expect(page.getByRole('table', { name: 'By widget' }).getByRole('row')).not.toHaveCount(1);
});

test('staff without permission do not see order widgets', async ({ staff, page }) => {
  await staff.signIn('finance', '/order-widgets');
  await expect(page.getByRole('button', { name: 'New order widget' })).toHaveCount(0);
});
