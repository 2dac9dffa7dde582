// Importing what a panel sells and deciding on what is held, seen in the browser and checked on the server.
import type { Page } from '@playwright/test';
import { expect, REFUSED, type Staff, test } from './panel';

const total = (staff: Staff, path: string) =>
  staff.get<{ recordsFiltered: number }>(path).then(({ recordsFiltered }) => recordsFiltered);

/** The boxes of so many of the newest services that the panel sells and that are not imported yet. */
async function choose(staff: Staff, page: Page, many: number) {
  await staff.signIn('admin', '/external-panels/1/services?is_imported=0');
  const rows = page.locator('tbody tr[data-id]').filter({ hasText: 'Default' });
  await expect(rows.first()).toBeVisible();
  for (let at = 0; at < many; at += 1) await rows.nth(at).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Import services' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('tbody[data-line]')).toHaveCount(many);
  return { dialog, lines: dialog.locator('tbody[data-line]'), name: (await rows.first().textContent()) ?? '' };
}

test('services are tried, then imported with their prices', async ({ staff, page }) => {
  const { dialog, lines, name } = await choose(staff, page, 1);
  const before = await total(staff, '/api/v1/admin/services?length=1');
  const mark = /\[\d+\]/.exec(name)?.[0] ?? 'a name with a number';
  const margin = dialog.getByLabel('Margin, percent').first();
  await expect(margin).toBeFocused();
  await margin.fill('50');
  // What the margin comes to stands at the line at once.
  await expect(lines.getByLabel(/^Margin, % of/)).toHaveValue('50');
  await dialog.getByLabel('Network', { exact: true }).selectOption({ index: 1 });
  await dialog.getByLabel('Service type', { exact: true }).selectOption({ index: 1 });
  await expect(dialog.getByText('Ready to import: 1')).toBeVisible();
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before);
  await dialog.getByRole('button', { name: 'Import (1)' }).click();
  await expect(dialog.getByText('Imported: 1')).toBeVisible();
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before + 1);
  // Beside its own name stands the service that was made of it.
  await staff.open('/external-panels/1/services?is_imported=1');
  const row = page.locator('tbody tr[data-id]').filter({ hasText: mark });
  await expect.poll(async () => (await row.textContent())?.split(mark).length).toBe(3);
});

test('lines are edited one by one, a wrong one is named, and categories are kept', async ({ staff, page, mayLog }) => {
  mayLog.push(REFUSED);
  const { dialog, lines } = await choose(staff, page, 3);
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
  // A price below the cost: refused by the server, at its line and field, and the focus goes there.
  const price = lines.nth(1).getByLabel(/^Price of/);
  await price.fill('0.000001');
  await dialog.getByRole('button', { name: 'Import (3)' }).click();
  await expect(dialog.getByText('Lines to correct: 1. Nothing was imported.')).toBeVisible();
  await expect(price).toHaveAttribute('aria-invalid', 'true');
  await expect(price).toBeFocused();
  await expect(price).toHaveValue('0.000001');
  await expect(lines.nth(0).getByLabel(/^Name of/)).toHaveValue(name);
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before);
  // A margin of all that are selected takes the place of the price.
  await dialog.getByText('Change the selected services').click();
  await dialog.getByLabel('Margin, percent').nth(1).fill('80');
  await dialog.getByRole('button', { name: 'Apply to 3' }).click();
  await expect(lines.nth(1).getByLabel(/^Margin, % of/)).toHaveValue('80');
  await price.fill('0.000001');
  await expect(dialog.getByText('Lines to correct: 1. Nothing was imported.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Leave them out' }).click();
  await expect(dialog.getByText('Ready to import: 2')).toBeVisible();
  await dialog.getByRole('button', { name: 'Import (2)' }).click();
  await expect(dialog.getByText('Imported: 2')).toBeVisible();
  await expect(dialog.getByText('Not imported: 1')).toBeVisible();
  await expect(dialog.getByRole('listitem')).toContainText(/lowest possible price/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before + 2);
  const found = await staff.get<{ data: { name: string; service_type: { name: string } }[] }>(
    `/api/v1/admin/services?search[value]=${encodeURIComponent(name)}`,
  );
  expect(found.data.map((service) => service.name)).toEqual([name]);
});

test('a rule imports new services by itself where it says they belong', async ({ staff, page, mayLog }) => {
  mayLog.push(REFUSED);
  await staff.signIn('admin', '/external-panels/1/import-rule');
  const card = page.locator('.import-rule');
  await card.getByLabel('Import new services automatically').check();
  await card.getByRole('button', { name: 'Save' }).click();
  // On, but nowhere to put them.
  await expect(card.locator('.field-error, .problem-bar').first()).toBeVisible();
  await expect(card.getByLabel('Import new services automatically')).toBeChecked();
  await card.getByLabel('Keep the panel’s categories').check();
  await card.getByRole('button', { name: 'Network', exact: true }).click();
  await staff.choose('YouTube');
  await card.getByLabel('Name contains').fill('likes');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
  await page.reload();
  await expect(card.getByLabel('Name contains')).toHaveValue('likes');
  await expect(card.getByLabel('Import new services automatically')).toBeChecked();
});

test('what is held is accepted, and refused is asked no more', async ({ staff, page }) => {
  await staff.signIn('admin', '/held-changes');
  const rows = page.locator('tbody tr');
  await expect(rows.first()).toContainText('Held');
  const before = await rows.count();
  await rows.first().getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Refuse' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByText('Nothing changes, and the same is not asked again.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Refuse' }).click();
  await expect(rows).toHaveCount(before - 1);
  const refused = await total(
    staff,
    '/api/v1/admin/external-panels/sync-changes?columns[0][data]=state&columns[0][search][value]=refused',
  );
  expect(refused).toBe(1);
});

test('who may not manage external panels sees none of it', async ({ staff, page }) => {
  await staff.signIn('readonly', '/held-changes');
  await expect(page).not.toHaveURL(/held-changes/);
  await expect(page.getByRole('link', { name: 'Changes of panels' })).toHaveCount(0);
});
