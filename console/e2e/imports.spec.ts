// Importing services of a panel and deciding on held changes, in the browser and checked on the server.
import type { Page } from '@playwright/test';
import { expect, REJECTED_REQUEST, type Staff, test } from './panel';

const total = (staff: Staff, path: string) =>
  staff.get<{ recordsFiltered: number }>(path).then(({ recordsFiltered }) => recordsFiltered);

/** Selects the newest services of the panel that are not imported yet. */
async function selectNewest(staff: Staff, page: Page, amount: number) {
  await staff.signIn('admin', '/external-panels/1/services?is_imported=0');
  const rows = page.locator('tbody tr[data-id]').filter({ hasText: 'Default' });
  await expect(rows.first()).toBeVisible();
  for (let at = 0; at < amount; at += 1) await rows.nth(at).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Import services' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('tbody[data-line]')).toHaveCount(amount);
  return { dialog, lines: dialog.locator('tbody[data-line]'), name: (await rows.first().textContent()) ?? '' };
}

test('services are previewed, then imported with their prices', async ({ staff, page }) => {
  const { dialog, lines, name } = await selectNewest(staff, page, 1);
  const before = await total(staff, '/api/v1/admin/services?length=1');
  const mark = /\[\d+\]/.exec(name)?.[0] ?? 'a name with a number';
  const margin = dialog.getByLabel('Resale margin, %').first();
  await expect(margin).toBeFocused();
  await margin.fill('50');
  // The line shows the price of the margin at once.
  await expect(lines.getByLabel(/^Margin, % of/)).toHaveValue('50');
  await dialog.getByLabel('Network', { exact: true }).selectOption({ index: 1 });
  await dialog.getByLabel('Service type', { exact: true }).selectOption({ index: 1 });
  await expect(dialog.getByText('Ready to import: 1')).toBeVisible();
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before);
  await dialog.getByRole('button', { name: 'Import (1)' }).click();
  await expect(dialog.getByText('Imported: 1')).toBeVisible();
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before + 1);
  // The row links to the imported service.
  await staff.open('/external-panels/1/services?is_imported=1');
  const row = page.locator('tbody tr[data-id]').filter({ hasText: mark });
  await expect.poll(async () => (await row.textContent())?.split(mark).length).toBe(3);
});

test('lines are edited one by one, an invalid line is reported, and categories are kept', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(REJECTED_REQUEST);
  const { dialog, lines } = await selectNewest(staff, page, 3);
  const before = await total(staff, '/api/v1/admin/services?length=1');
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
  // The server rejects a price below the cost: the error is at its field, which gets the focus.
  const price = lines.nth(1).getByLabel(/^Price of/);
  await price.fill('0.000001');
  await dialog.getByRole('button', { name: 'Import (3)' }).click();
  await expect(dialog.getByText('Rows to correct: 1. Nothing was imported.')).toBeVisible();
  await expect(price).toHaveAttribute('aria-invalid', 'true');
  await expect(price).toBeFocused();
  await expect(price).toHaveValue('0.000001');
  await expect(lines.nth(0).getByLabel(/^Name of/)).toHaveValue(name);
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before);
  // A margin for all selected lines replaces the price.
  await dialog.getByText('Change the selected services').click();
  await dialog.getByLabel('Resale margin, %').nth(1).fill('80');
  await dialog.getByRole('button', { name: 'Apply to 3' }).click();
  await expect(lines.nth(1).getByLabel(/^Margin, % of/)).toHaveValue('80');
  await price.fill('0.000001');
  await expect(dialog.getByText('Rows to correct: 1. Nothing was imported.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Exclude them' }).click();
  await expect(dialog.getByText('Ready to import: 2')).toBeVisible();
  await dialog.getByRole('button', { name: 'Import (2)' }).click();
  await expect(dialog.getByText('Imported: 2')).toBeVisible();
  await expect(dialog.getByText('Not imported: 1')).toBeVisible();
  await expect(dialog.getByRole('listitem')).toContainText(/lowest possible price/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before + 2);
  const imported = await staff.get<{ data: { name: string; service_type: { name: string } }[] }>(
    `/api/v1/admin/services?search[value]=${encodeURIComponent(name)}`,
  );
  expect(imported.data.map((service) => service.name)).toEqual([name]);
});

test('a rule imports new services automatically into its network', async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(REJECTED_REQUEST);
  await staff.signIn('admin', '/external-panels/1/import-rule');
  const card = page.locator('.import-rule');
  await card.getByLabel('Import new services automatically').check();
  await card.getByRole('button', { name: 'Save' }).click();
  // Enabled, but without a network.
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

test('a held change is accepted, and a refused one is not offered again', async ({ staff, page }) => {
  await staff.signIn('admin', '/held-changes');
  const rows = page.locator('tbody tr');
  await expect(rows.first()).toContainText('Awaiting review');
  const before = await rows.count();
  await rows.first().getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Decline' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByText('Nothing changes, and the same change is not proposed again.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Decline' }).click();
  await expect(rows).toHaveCount(before - 1);
  const refusedCount = await total(
    staff,
    '/api/v1/admin/external-panels/sync-changes?columns[0][data]=state&columns[0][search][value]=refused',
  );
  expect(refusedCount).toBe(1);
});

test('staff without permission do not see imports', async ({ staff, page }) => {
  await staff.signIn('readonly', '/held-changes');
  await expect(page).not.toHaveURL(/held-changes/);
  await expect(page.getByRole('link', { name: 'Sync changes' })).toHaveCount(0);
});
