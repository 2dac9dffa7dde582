// Records manual payments, and opens the money section of a customer.
import { expect, REJECTED_REQUEST, test } from './panel';

test.use({ allowedLogs: [REJECTED_REQUEST] });

test('the field of an invalid amount shows an error, and a double click records a valid payment only once', async ({
  staff,
  page,
}) => {
  const { data } = await staff.get<{ data: { id: number; balance: string; name: string }[] }>(
    '/api/v1/admin/users?columns[0][data]=status&columns[0][search][value]=active&length=1',
  );
  const user = data[0];
  if (!user) throw new Error('The demo has no users.');
  await staff.signIn('finance', '/transactions');
  await page.getByRole('button', { name: 'New payment' }).click();
  const dialog = page.getByRole('dialog', { name: 'New payment' });
  await dialog.getByRole('combobox', { name: 'Customer' }).fill(String(user.id));
  await page.getByRole('option', { name: new RegExp(` · ${user.id}$`) }).click();
  await dialog.getByLabel('Amount').fill('1e3');
  await dialog.getByRole('button', { name: 'New payment' }).click();
  await expect(dialog.locator('.field-error')).toBeVisible();
  await expect(dialog.getByLabel('Amount')).toHaveValue('1e3');
  await dialog.getByLabel('Amount').fill('12 345 678.123456');
  await dialog.getByLabel('Comment').fill('=HYPERLINK("x")');
  await dialog.getByRole('button', { name: 'New payment' }).dblclick();
  await expect(page.getByText(/\$12.345.678\.123456 recorded/)).toBeVisible();
  await staff.open(`/transactions?user.id=${user.id}&type=manual`);
  const row = staff.rows().filter({ hasText: '345' });
  await expect(row).toHaveCount(1);
  // `Main` is the name of the balance.
  await expect(row).toContainText('Main');
});

test("a customer's page shows their money and links to their orders", async ({ staff, page }) => {
  const [id] = await staff.fetchOrderIds('completed', 1);
  await staff.signIn('admin', `/orders/${id}`);
  await page.locator('.facts a').first().click();
  await expect(page).toHaveURL(/\/users\/\d+/);
  await expect(page.getByRole('heading', { name: 'Money' })).toBeVisible();
  await page
    .getByRole('navigation', { name: 'Sections of this record' })
    .getByRole('link', { name: 'Orders', exact: true })
    .click();
  await expect(page).toHaveURL(/\/users\/\d+\/orders/);
  await expect(staff.rows().first()).toBeVisible();
});
