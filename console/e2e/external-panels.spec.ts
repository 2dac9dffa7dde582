// Connects, edits, pays and archives external panels. The connected external panel is the panel under test itself.
import { expect, test } from './panel';

interface ExternalPanel {
  id: number;
  name: string;
  endpoint: string;
  type: string;
  low_balance: string | null;
  price_jump_fraction: string;
}

const EXTERNAL_PANELS_PATH = '/api/v1/admin/external-panels';

test('an external panel is detected, connected and archived', async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(/422/);
  await staff.signIn('admin', '/external-panels');
  await page.getByRole('button', { name: 'Connect a panel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a panel' });
  await dialog.getByLabel('API URL').fill('http://127.0.0.1:1/api/v2');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await expect(dialog.locator('.field-error')).toContainText('cannot be reached');
  await dialog.getByLabel('API URL').fill(staff.url);
  await dialog.getByRole('button', { name: 'Check' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('127.0.0.1');
  await expect(dialog.getByLabel('API URL')).toHaveValue(`${staff.url}/api/v2`);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Ourselves');
  await dialog.getByRole('button', { name: 'Connect a panel' }).click();
  await expect(dialog.locator('.field-error')).toContainText('token');
  await dialog.getByLabel('API token').fill('a-token-of-sixteen-letters');
  await dialog.getByRole('checkbox', { name: 'Services' }).check();
  await dialog.getByRole('button', { name: 'Connect a panel' }).click();
  await expect(page.getByRole('heading', { name: 'Ourselves' })).toBeVisible();
  await expect(page.getByText('…ters')).toBeVisible();
  const { data } = await staff.get<{ data: ExternalPanel[] }>(`${EXTERNAL_PANELS_PATH}?length=1`);
  expect(data[0]).toMatchObject({ name: 'Ourselves', type: 'socpanel', sync_services: true });
  expect(JSON.stringify(data)).not.toContain('a-token-of');

  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click();
  await expect(page.locator('.record-head')).toContainText('Archived');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.record-head')).not.toContainText('Archived');
});

test('a new API URL requires the token again, and a save does not overwrite concurrent changes', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/409|422/);
  await staff.signIn('admin', '/external-panels/5');
  await page.getByRole('button', { name: 'Edit panel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit panel' });
  await dialog.getByLabel('API URL').fill('https://8.8.8.8/api/v2');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.locator('.field-error')).toContainText('Enter the token again');
  await dialog.getByLabel('API token').fill('another-token');
  await dialog.getByLabel('Low balance').fill('12,5');
  const concurrentUpdate = await page.request.patch(`${staff.url}${EXTERNAL_PANELS_PATH}/5`, {
    data: { price_jump_fraction: '0.35', low_balance: '7' },
    headers: { Authorization: await staff.getToken() },
  });
  expect(concurrentUpdate.status()).toBe(200);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('This panel was changed');
  await dialog.getByRole('button', { name: 'Load the latest version' }).click();
  await expect(dialog.getByLabel('Price change limit, %')).toHaveValue('35');
  await expect(dialog.getByText('Current value: 7')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  const { data } = await staff.get<{ data: ExternalPanel }>(`${EXTERNAL_PANELS_PATH}/5`);
  expect(data).toMatchObject({ endpoint: 'https://8.8.8.8/api/v2', low_balance: '12.5', price_jump_fraction: '0.35' });
});

test('a payment is recorded, changed and deleted', async ({ staff, page }) => {
  await staff.signIn('admin', '/external-panels/1/billing');
  await expect(staff.rows()).toHaveCount(9);
  await page.getByRole('button', { name: 'New payment' }).click();
  const dialog = page.getByRole('dialog', { name: 'New payment' });
  await dialog.getByLabel('Paid, USD').fill('100');
  await dialog.getByLabel('Fee, USD', { exact: true }).fill('2,5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(staff.rows()).toHaveCount(10);
  const row = staff.rows().first();
  await expect(row).toContainText('97.50');
  await row.getByRole('button').first().click();
  await page.getByRole('dialog').getByLabel('Bonus, USD').fill('1');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(staff.rows().first()).toContainText('98.50');
  const payments = await staff.get<{ data: { id: number }[] }>(
    '/api/v1/admin/external-panel-payments?external_panel_id=1',
  );
  expect(await staff.delete(`/api/v1/admin/external-panel-payments/${payments.data[0]?.id}`)).toBe(204);
  await page.reload();
  await expect(staff.rows()).toHaveCount(9);
});

test('staff without permission are redirected from external panels', async ({ staff, page }) => {
  await staff.signIn('finance', '/external-panels');
  await expect(page).toHaveURL(`${staff.url}/`);
  await expect(page.getByRole('link', { name: 'External panels' })).toHaveCount(0);
});

test('a filter shows only the services that an external panel no longer sells', async ({ staff, page }) => {
  await staff.signIn('admin', '/external-panels/1/services?is_vanished=0');
  const rows = page.locator('tbody tr[data-id]');
  await expect(rows.first()).toBeVisible();
  await expect(page.getByRole('columnheader', { name: /No longer sold/ })).toBeVisible();
  const path = '/api/v1/admin/external-panels/1/services?is_vanished=1';
  const vanishedServices = await staff.get<{ recordsFiltered: number }>(path);
  await staff.open('/external-panels/1/services?is_vanished=1');
  await expect(page.getByRole('table')).toBeVisible();
  await expect(rows).toHaveCount(Math.min(vanishedServices.recordsFiltered, 30));
});
