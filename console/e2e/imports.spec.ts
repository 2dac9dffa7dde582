// Imports services of an external panel, and rejects a sync change. Checks the result in the browser and on the server.
import type { Page } from '@playwright/test';
import { expect, REJECTED_REQUEST, type Staff, test } from './panel';

const countRecords = (staff: Staff, path: string) =>
  staff.get<{ recordsFiltered: number }>(path).then(({ recordsFiltered }) => recordsFiltered);

/** Opens the import dialog for the newest services of the external panel that are not imported yet. */
async function openImportDialog(staff: Staff, page: Page, serviceCount: number) {
  await staff.signIn('admin', '/external-panels/1/services?is_imported=0');
  const rows = page.locator('tbody tr[data-id]').filter({ hasText: 'Default' });
  await expect(rows.first()).toBeVisible();
  for (let index = 0; index < serviceCount; index += 1) await rows.nth(index).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Import services' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('tbody[data-line]')).toHaveCount(serviceCount);
  return { dialog, lines: dialog.locator('tbody[data-line]'), firstRowText: (await rows.first().textContent()) ?? '' };
}

test('services are previewed, and then imported with their prices', async ({ staff, page }) => {
  const { dialog, lines, firstRowText } = await openImportDialog(staff, page, 1);
  const initialCount = await countRecords(staff, '/api/v1/admin/services?length=1');
  // Demo names contain a unique number, such as `[41]`.
  const uniqueNumber = /\[\d+\]/.exec(firstRowText)?.[0];
  if (!uniqueNumber) throw new Error(`The row has no unique number: ${firstRowText}`);
  const margin = dialog.getByLabel('Resale margin, %').first();
  await expect(margin).toBeFocused();
  await margin.fill('50');
  // The line immediately shows the new common margin.
  await expect(lines.getByLabel(/^Margin, % of/)).toHaveValue('50');
  await dialog.getByLabel('Network', { exact: true }).selectOption({ index: 1 });
  await dialog.getByLabel('Service type', { exact: true }).selectOption({ index: 1 });
  await expect(dialog.getByText('Ready to import: 1')).toBeVisible();
  expect(await countRecords(staff, '/api/v1/admin/services?length=1')).toBe(initialCount);
  await dialog.getByRole('button', { name: 'Import (1)' }).click();
  await expect(dialog.getByText('Imported: 1')).toBeVisible();
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await countRecords(staff, '/api/v1/admin/services?length=1')).toBe(initialCount + 1);
  // The row now contains the number twice: in the name of the external service, and in the name of the new provider.
  await staff.open('/external-panels/1/services?is_imported=1');
  const row = page.locator('tbody tr[data-id]').filter({ hasText: uniqueNumber });
  await expect.poll(async () => (await row.textContent())?.split(uniqueNumber).length).toBe(3);
});

test('lines are edited separately, an invalid line shows its error, and categories become service types', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(REJECTED_REQUEST);
  const { dialog, lines } = await openImportDialog(staff, page, 3);
  const initialCount = await countRecords(staff, '/api/v1/admin/services?length=1');
  await dialog.getByLabel('Network', { exact: true }).selectOption({ index: 1 });
  await dialog.getByLabel('Keep the panel’s categories').check();
  await expect(dialog.getByText('Ready to import: 3')).toBeVisible();
  const name = `Edited ${Date.now()}`;
  await lines
    .nth(0)
    .getByLabel(/^Name of/)
    .fill(name);
  await lines
    .nth(0)
    .getByRole('button', { name: /^More fields of/ })
    .click();
  await lines
    .nth(0)
    .getByLabel(/^Description of/)
    .fill('Fast and real');
  // The server rejects a price below the cost. The field shows the error and receives the focus.
  const price = lines.nth(1).getByLabel(/^Price of/);
  await price.fill('0.000001');
  await dialog.getByRole('button', { name: 'Import (3)' }).click();
  await expect(dialog.getByText('Rows to correct: 1. Nothing was imported.')).toBeVisible();
  await expect(price).toHaveAttribute('aria-invalid', 'true');
  await expect(price).toBeFocused();
  await expect(price).toHaveValue('0.000001');
  await expect(lines.nth(0).getByLabel(/^Name of/)).toHaveValue(name);
  expect(await countRecords(staff, '/api/v1/admin/services?length=1')).toBe(initialCount);
  // A margin for all selected lines replaces the price.
  await dialog.getByText('Change the selected services').click();
  await dialog.getByLabel('Resale margin, %').nth(1).fill('80');
  await dialog.getByRole('button', { name: 'Apply to 3' }).click();
  await expect(lines.nth(1).getByLabel(/^Margin, % of/)).toHaveValue('80');
  await price.fill('0.000001');
  await expect(dialog.getByText('Rows to correct: 1. Nothing was imported.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Exclude invalid rows' }).click();
  await expect(dialog.getByText('Ready to import: 2')).toBeVisible();
  await dialog.getByRole('button', { name: 'Import (2)' }).click();
  await expect(dialog.getByText('Imported: 2')).toBeVisible();
  await expect(dialog.getByText('Not imported: 1')).toBeVisible();
  await expect(dialog.getByRole('listitem')).toContainText(/lowest possible price/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await countRecords(staff, '/api/v1/admin/services?length=1')).toBe(initialCount + 2);
  const serviceList = await staff.get<{ data: { name: string; service_type: { name: string } }[] }>(
    `/api/v1/admin/services?search[value]=${encodeURIComponent(name)}`,
  );
  expect(serviceList.data.map((service) => service.name)).toEqual([name]);
});

test('an import rule is validated and saved', async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(REJECTED_REQUEST);
  await staff.signIn('admin', '/external-panels/1/import-rule');
  const card = page.locator('.import-rule');
  await card.getByLabel('Import new services automatically').check();
  await card.getByRole('button', { name: 'Save' }).click();
  // The server rejects an enabled rule without a network.
  await expect(card.locator('.field-error, .problem-bar').first()).toBeVisible();
  await expect(card.getByLabel('Import new services automatically')).toBeChecked();
  await card.getByLabel('Keep the panel’s categories').check();
  await card.getByRole('button', { name: 'Network', exact: true }).click();
  await staff.selectOption('YouTube');
  await card.getByLabel('Name contains').fill('likes');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
  await page.reload();
  await expect(card.getByLabel('Name contains')).toHaveValue('likes');
  await expect(card.getByLabel('Import new services automatically')).toBeChecked();
});

test('a rejected sync change disappears from the list', async ({ staff, page }) => {
  await staff.signIn('admin', '/held-changes');
  const rows = page.locator('tbody tr');
  await expect(rows.first()).toContainText('Awaiting approval');
  const initialCount = await rows.count();
  await rows.first().getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Reject' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByText('Nothing changes, and the same change is not proposed again.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await expect(rows).toHaveCount(initialCount - 1);
  const rejectedCount = await countRecords(
    staff,
    '/api/v1/admin/external-panels/sync-changes?columns[0][data]=state&columns[0][search][value]=rejected',
  );
  expect(rejectedCount).toBe(1);
});

test('staff without permission do not see imports', async ({ staff, page }) => {
  await staff.signIn('readonly', '/held-changes');
  await expect(page).not.toHaveURL(/held-changes/);
  await expect(page.getByRole('link', { name: 'Sync changes' })).toHaveCount(0);
});
