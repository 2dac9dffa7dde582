// Edits staff, roles, and the prices, affiliates, access and documents of a customer in the browser, and checks the result on the server.
import { expect, REJECTED_REQUEST, type Staff, test } from './panel';

/** A PNG of one pixel. */
const ONE_PIXEL_IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);

interface StaffMember {
  id: number;
  name: string;
  is_active: boolean;
  roles: { name: string }[];
  permissions: { name: string }[];
}

async function findStaffMember(staff: Staff, email: string): Promise<StaffMember | undefined> {
  const query = `columns[0][data]=email&columns[0][search][value]=${encodeURIComponent(email)}&length=1`;
  return (await staff.get<{ data: StaffMember[] }>(`/api/v1/admin/staffs?${query}`)).data[0];
}

/** Finds an active customer. `skip` is the number of newer active customers to skip. */
async function findCustomer(staff: Staff, skip: number): Promise<{ id: number; name: string }> {
  const query = `columns[0][data]=status&columns[0][search][value]=active&start=${skip}&length=1`;
  const { data } = await staff.get<{ data: { id: number; name: string }[] }>(`/api/v1/admin/users?${query}`);
  return data[0] ?? { id: 0, name: '' };
}

test('a role and a permission are granted to a staff member, and the permission is revoked', async ({
  staff,
  page,
}) => {
  await staff.signIn('admin', '/staff/roles');
  await page.getByRole('button', { name: 'New role' }).click();
  const roleDialog = page.getByRole('dialog', { name: 'New role' });
  await roleDialog.getByLabel('Name').fill('Night shift');
  await roleDialog.getByRole('checkbox', { name: 'View orders' }).check();
  await roleDialog.getByRole('button', { name: 'New role' }).click();
  await expect(page.getByRole('cell', { name: 'Night shift', exact: true })).toBeVisible();

  await page.getByRole('navigation', { name: 'Sections of this record' }).getByRole('link', { name: 'Staff' }).click();
  await page.getByRole('button', { name: 'New staff member' }).click();
  const dialog = page.getByRole('dialog', { name: 'New staff member' });
  await dialog.getByLabel('Name').fill('Nora Night');
  await dialog.getByLabel('Email', { exact: true }).fill('nora@panel.test');
  await dialog.getByRole('checkbox', { name: 'Invite by email to set a password' }).uncheck();
  await dialog.getByLabel('Password', { exact: true }).fill('a long night');
  await dialog.getByRole('checkbox', { name: /^Night shift/ }).check();
  await expect(dialog.getByText('from Night shift')).toBeVisible();
  await dialog.getByRole('checkbox', { name: 'View the audit log' }).check();
  await dialog.getByRole('button', { name: 'New staff member' }).click();
  await expect(dialog).toHaveCount(0);
  const nora = await findStaffMember(staff, 'nora@panel.test');
  expect([nora?.roles[0]?.name, nora?.permissions[0]?.name]).toEqual(['Night shift', 'view audits']);

  await staff.open(`/staff/${nora?.id}`);
  await expect(page.getByText('View the audit log')).toBeVisible();
  await page.getByRole('button', { name: 'Roles and permissions' }).click();
  const grantsDialog = page.getByRole('dialog', { name: 'Roles and permissions of Nora Night' });
  await grantsDialog.getByRole('checkbox', { name: 'View the audit log' }).uncheck();
  await grantsDialog.getByRole('button', { name: 'Save' }).click();
  await expect(grantsDialog).toHaveCount(0);
  expect((await findStaffMember(staff, 'nora@panel.test'))?.permissions).toEqual([]);

  await page.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('button', { name: 'Deactivate staff member' }).click();
  await expect(page.locator('.record-head')).toContainText('Deactivated');
  expect((await findStaffMember(staff, 'nora@panel.test'))?.is_active).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.record-head')).toContainText('Active');
});

test('a used role cannot be deleted, and staff cannot change their own permissions', async ({ staff, page }) => {
  await staff.signIn('admin', '/staff/roles');
  await expect(page.getByRole('button', { name: 'Delete role Owner' })).toHaveAttribute('aria-disabled', 'true');
  const ownAccount = await findStaffMember(staff, 'admin@panel.test');
  await staff.open(`/staff/${ownAccount?.id}`);
  await expect(page.getByRole('button', { name: 'Name and password' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Roles and permissions' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Deactivate' })).toHaveCount(0);
});

test('a staff member is signed out everywhere', async ({ staff, page, request }) => {
  const data = { email: 'readonly@panel.test', password: 'panel-demo' };
  // Ending all sessions also ends the session of the shared token.
  staff.clearToken('readonly');
  const loginResponse = await request.post(`${staff.url}/login`, { data });
  const headers = { Authorization: loginResponse.headers().authorization ?? '' };
  const reader = await findStaffMember(staff, data.email);
  await staff.signIn('admin', `/staff/${reader?.id}`);
  await page.getByRole('button', { name: 'End sessions' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End sessions' }).click();
  await expect(page.getByText('1 staff member signed out everywhere.')).toBeVisible();
  expect((await request.get(`${staff.url}/api/v1/profile`, { headers })).status()).toBe(401);
});

test('staff without permission do not see the list of staff', async ({ staff, page }) => {
  await staff.signIn('moderator', '/staff');
  await expect(page.getByRole('link', { name: 'Staff', exact: true })).toHaveCount(0);
  await expect(page).not.toHaveURL(/staff/);
});

test("a customer's prices are added, set in bulk and removed", async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(REJECTED_REQUEST);
  const { id } = await findCustomer(staff, 11);
  await staff.signIn('admin', `/users/${id}/prices`);
  await page.getByRole('button', { name: 'Add price' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add price' });
  await dialog.getByRole('combobox', { name: 'Service', exact: true }).pressSequentially('149');
  await page.locator('.p-autocomplete-item').first().click();
  await dialog.getByLabel('Price', { exact: true }).fill('1');
  await dialog.getByLabel('Minimum price').fill('2');
  await dialog.getByRole('button', { name: 'Add price' }).click();
  await expect(dialog.locator('.field-error')).toHaveText('The minimum price must not be above the price, 1.');
  await dialog.getByLabel('Minimum price').fill('0.5');
  await dialog.getByLabel('Maximum per refill, %').fill('12.5');
  await dialog.getByRole('button', { name: 'Add price' }).click();
  await expect(dialog).toHaveCount(0);
  const fetchPrices = () =>
    staff
      .get<{ data: { service_id: number; default_price: string; auto_refill_once_fill_fraction: string | null }[] }>(
        `/api/v1/admin/users/${id}/user-services`,
      )
      .then(({ data }) => data.filter(({ service_id }) => service_id === 149 || service_id === 148));
  expect(await fetchPrices()).toMatchObject([
    { service_id: 149, default_price: '1', auto_refill_once_fill_fraction: '0.125' },
  ]);

  await page.getByRole('button', { name: 'Set multiple prices' }).click();
  const bulkDialog = page.getByRole('dialog', { name: 'Set multiple prices' });
  await bulkDialog.getByLabel('One price per line').fill('149 3\n999999 4');
  await bulkDialog.getByRole('button', { name: 'Set prices' }).click();
  await expect(bulkDialog.locator('.field-error')).toHaveText(
    'Line 2: There is no service 999999. Choose another service.',
  );
  await bulkDialog.getByLabel('One price per line').fill('149 3\n148 4');
  await bulkDialog.getByRole('button', { name: 'Set prices' }).click();
  await expect(bulkDialog).toHaveCount(0);
  expect((await fetchPrices()).map((price) => price.default_price).sort()).toEqual(['3', '4']);

  for (const remainingCount of [1, 0]) {
    const row = page.locator('table.small tr').filter({ has: page.getByRole('cell', { name: /^14[89]$/ }) });
    await row
      .first()
      .getByRole('button', { name: /^Remove/ })
      .click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove price' }).click();
    await expect(row).toHaveCount(remainingCount);
  }
  expect(await fetchPrices()).toEqual([]);
});

test('an affiliate is valid for a period, and overlapping periods are rejected', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(REJECTED_REQUEST);
  const [user, affiliate] = [await findCustomer(staff, 12), await findCustomer(staff, 60)];
  const fetchAffiliateId = () =>
    staff
      .get<{ data: { affiliate: { id: number } | null } }>(`/api/v1/admin/users/${user.id}`)
      .then(({ data }) => data.affiliate?.id);
  for (const { id } of (await staff.get<{ data: { id: number }[] }>(`/api/v1/admin/users/${user.id}/affiliates`))
    .data) {
    await staff.delete(`/api/v1/admin/users/${user.id}/affiliates/${id}`);
  }
  await staff.signIn('admin', `/users/${user.id}/affiliates`);
  const dialog = page.getByRole('dialog', { name: 'Add affiliate' });
  const addAffiliate = async (affiliateId: number) => {
    await page.getByRole('button', { name: 'Add affiliate' }).click();
    await dialog.getByRole('combobox').pressSequentially(String(affiliateId));
    await page.locator('.p-autocomplete-item', { hasText: new RegExp(`· ${affiliateId}$`) }).click();
    await dialog.getByRole('button', { name: 'Add affiliate' }).click();
  };
  await addAffiliate(affiliate.id);
  await expect(page.getByRole('link', { name: affiliate.name })).toBeVisible();
  expect(await fetchAffiliateId()).toBe(affiliate.id);
  await addAffiliate(affiliate.id);
  await expect(dialog.locator('.field-error')).toContainText('Another affiliate is active from');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
});

test('payment methods are selected for a customer, and a new API key is shown once', async ({ staff, page }) => {
  const { id } = await findCustomer(staff, 13);
  await staff.signIn('admin', `/users/${id}/access`);
  await page.getByRole('button', { name: 'Choose payment methods' }).click();
  const dialog = page.getByRole('dialog', { name: 'Choose payment methods' });
  await dialog.getByRole('checkbox', { name: 'Bank transfer' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.plain-list')).toContainText('Bank transfer');
  await page.getByRole('button', { name: 'Create new key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Create new key' }).click();
  const keyDialog = page.getByRole('dialog', { name: 'New key' });
  await expect(keyDialog.locator('code')).toHaveText(/^[\w-]{43}$/);
  await keyDialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
  await expect(page.getByRole('button', { name: 'Revoke key' })).toHaveCount(0);
  await page
    .getByRole('navigation', { name: 'Sections of this record' })
    .getByRole('link', { name: 'History' })
    .click();
  await expect(staff.rows().first()).toContainText('user.api_key_removed');
});

test('a document is added, and viewing it is audited', async ({ staff, page }) => {
  const { id } = await findCustomer(staff, 14);
  await staff.signIn('admin', `/users/${id}/documents`);
  await page.getByRole('button', { name: 'Add document' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add document' });
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'id.png', mimeType: 'image/png', buffer: ONE_PIXEL_IMAGE });
  await expect(dialog.getByRole('img', { name: 'Image' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Add document' }).click();
  await page.getByRole('button', { name: /^Show: Identity document/ }).click();
  await expect(page.getByRole('img', { name: 'Identity document' })).toBeVisible();
  await page.keyboard.press('Escape');
  await staff.open(`/users/${id}/history`);
  await expect(staff.rows().first()).toContainText('verification_document.viewed');
});
