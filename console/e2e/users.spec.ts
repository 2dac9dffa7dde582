// Runs actions on customers in the browser, and checks the result on the server.
import { expect, type Staff, test } from './panel';

interface User {
  id: number;
  name: string;
  status: string;
  telegram_username: string | null;
  contact_step: string | null;
  referral_program_fraction: string | null;
}

/** Finds the newest active customers with orders. `skip` is the number of newer customers to skip. */
async function findCustomers(staff: Staff, count: number, skip: number): Promise<User[]> {
  const query = `columns[0][data]=status&columns[0][search][value]=active&columns[1][data]=spent&columns[1][search][value]=1..&start=${skip}&length=${count}`;
  return (await staff.get<{ data: User[] }>(`/api/v1/admin/users?${query}`)).data;
}

const fetchUser = (staff: Staff, id: number) =>
  staff.get<{ data: User }>(`/api/v1/admin/users/${id}`).then(({ data }) => data);

test('a customer is frozen on their page, and undo reactivates them', async ({ staff, page }) => {
  const [user] = await findCustomers(staff, 1, 0);
  await staff.signIn('admin', `/users/${user?.id}`);
  await page.getByRole('button', { name: 'Freeze' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Freeze 1 customer' });
  await expect(dialog.getByText('1 customer will be frozen.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Freeze customer' }).click();
  await expect(page.getByText('1 customer frozen.')).toBeVisible();
  await expect(page.locator('.record-head')).toContainText('Frozen');
  expect((await fetchUser(staff, user?.id ?? 0)).status).toBe('frozen');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.record-head')).toContainText('Active');
  expect((await fetchUser(staff, user?.id ?? 0)).status).toBe('active');
});

test('undoing an activation restores the previous status', async ({ staff, page }) => {
  const [user] = await findCustomers(staff, 1, 1);
  expect(await staff.post(`/api/v1/admin/users/${user?.id}/deactivate`, undefined)).toBe(200);
  await staff.signIn('admin', `/users?id=${user?.id}`);
  await page.getByRole('button', { name: `Actions for ${user?.id}`, exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'Deactivate' })).toHaveCount(0);
  await page.getByRole('menuitem', { name: 'Activate', exact: true }).click();
  await page.getByRole('button', { name: 'Activate customer' }).click();
  await expect(staff.rows().first()).toContainText('Active');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(staff.rows().first()).toContainText('Deactivated');
});

test('the form of a rejected profile keeps the input, and is saved after a correction', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  const [user] = await findCustomers(staff, 1, 2);
  await staff.signIn('admin', `/users/${user?.id}`);
  await page.getByRole('button', { name: 'Edit profile' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit profile' });
  await dialog.getByLabel('Telegram').fill('x');
  await dialog.getByLabel('Referral share').fill('7.5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.locator('.field-error')).toHaveCount(2);
  await expect(dialog.getByLabel('Referral share')).toHaveValue('7.5');
  await dialog.getByLabel('Telegram').fill('@new_name');
  await dialog.getByLabel('Referral share').fill('7');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('@new_name')).toBeVisible();
  const savedUser = await fetchUser(staff, user?.id ?? 0);
  expect([savedUser.telegram_username, savedUser.referral_program_fraction]).toEqual(['new_name', '0.07']);
});

test('a bulk edit changes only the contact step of several customers', async ({ staff, page }) => {
  const users = await findCustomers(staff, 3, 3);
  await staff.signIn('admin', `/users?id=${users.map((user) => user.id).join(',')}`);
  for (const user of users) {
    await page.getByRole('checkbox', { name: `Select ${user.id}`, exact: true }).check();
  }
  await page.getByRole('group', { name: 'Selected records' }).getByRole('button', { name: /^Edit/ }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Edit 3 customers' });
  await dialog.getByRole('checkbox', { name: 'Contact step' }).check();
  await dialog.locator('.p-dropdown').click();
  await page.getByRole('option', { name: 'Offer' }).click();
  await expect(dialog.getByText('3 customers will be updated.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Edit 3 customers' }).click();
  await expect(page.getByText('3 customers updated.')).toBeVisible();
  for (const user of users) {
    const savedUser = await fetchUser(staff, user.id);
    expect([savedUser.contact_step, savedUser.status, savedUser.name]).toEqual(['offer', 'active', user.name]);
  }
});

test('the page of a customer lists only orders of this customer', async ({ staff, page }) => {
  const [user] = await findCustomers(staff, 1, 7);
  await staff.signIn('admin', `/users/${user?.id}`);
  await page
    .getByRole('navigation', { name: 'Sections of this record' })
    .getByRole('link', { name: 'Orders', exact: true })
    .click();
  await expect(page).toHaveURL(new RegExp(`/users/${user?.id}/orders$`));
  const { recordsFiltered } = await staff.get<{ recordsFiltered: number }>(
    `/api/v1/admin/orders?columns[0][data]=user.id&columns[0][search][value]=${user?.id}&length=1`,
  );
  await expect(page.locator('.toolbar .count')).toHaveText(
    `${recordsFiltered} record${recordsFiltered === 1 ? '' : 's'}`,
  );
  await page.goto(`${staff.url}/orders?user.id=${user?.id}`);
  await expect(page.locator('.toolbar .count')).toHaveText(
    `${recordsFiltered} record${recordsFiltered === 1 ? '' : 's'}`,
  );
});

test('each tab of the page of a customer shows only records of this customer', async ({ staff, page }) => {
  const cancelRequests = await staff.get<{ data: { id: number; user: { id: number } }[] }>(
    '/api/v1/admin/order-cancel-requests?length=1',
  );
  const id = cancelRequests.data[0]?.user.id ?? 0;
  await staff.signIn('admin', `/users/${id}`);
  const tabs: [name: string, urlSegment: string, apiResource: string][] = [
    ['Invoices', 'invoices', 'invoices'],
    ['Withdrawals', 'withdrawals', 'withdrawals'],
    ['Subscriptions', 'subscriptions', 'subscriptions'],
    ['Drip-feeds', 'drip-feeds', 'drip-feeds'],
    ['Combo orders', 'combo-orders', 'combo-orders'],
    ['Cancel requests', 'cancel-requests', 'order-cancel-requests'],
    ['Free-trial requests', 'free-trials', 'free-trials'],
  ];
  for (const [name, urlSegment, apiResource] of tabs) {
    await page
      .getByRole('navigation', { name: 'Sections of this record' })
      .getByRole('link', { name, exact: true })
      .click();
    await expect(page).toHaveURL(new RegExp(`/users/${id}/${urlSegment}$`));
    const query = `columns[0][data]=user.id&columns[0][search][value]=${id}&length=1`;
    const { recordsFiltered: count } = await staff.get<{ recordsFiltered: number }>(
      `/api/v1/admin/${apiResource}?${query}`,
    );
    if (urlSegment === 'cancel-requests') expect(count).toBeGreaterThan(0);
    await expect(page.locator('.toolbar .count')).toHaveText(`${count} record${count === 1 ? '' : 's'}`);
  }
  await page.getByRole('link', { name: 'Referred customers', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/users/${id}/referred$`));
});

test('money on hold for a withdrawal links to the withdrawal', async ({ staff, page }) => {
  const query = 'columns[0][data]=status&columns[0][search][value]=pending,approved&length=1';
  const { data } = await staff.get<{ data: { id: number; user: { id: number } }[] }>(
    `/api/v1/admin/withdrawals?${query}`,
  );
  const [withdrawal] = data;
  await staff.signIn('admin', `/users/${withdrawal?.user.id}`);
  await page.getByRole('link', { name: new RegExp(`^Withdrawal ${withdrawal?.id}: `) }).click();
  await expect(page).toHaveURL(new RegExp(`/users/${withdrawal?.user.id}/withdrawals\\?id=${withdrawal?.id}$`));
  await expect(staff.rows()).toHaveCount(1);
  await expect(staff.rows().first()).toHaveAttribute('data-id', String(withdrawal?.id));
});

test('staff with read-only permission see no actions on customers', async ({ staff, page }) => {
  const [user] = await findCustomers(staff, 1, 0);
  await staff.signIn('readonly', `/users/${user?.id}`);
  await expect(page.locator('.facts').first()).toBeVisible();
  await expect(page.locator('.record-actions button')).toHaveCount(0);
});
