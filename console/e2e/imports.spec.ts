// Importing what a panel sells and deciding on what is held, seen in the browser and checked on the server.
import { expect, type Staff, test } from './panel';

const total = (staff: Staff, path: string) =>
  staff.get<{ recordsFiltered: number }>(path).then(({ recordsFiltered }) => recordsFiltered);

test('services are tried, then imported with their prices', async ({ staff, page }) => {
  await staff.signIn('admin', '/external-panels/1/services');
  // The newest of what the panel sells; nothing of it is imported yet.
  const row = page.locator('tbody tr[data-id]').filter({ hasText: 'Default' }).first();
  await expect(row).toBeVisible();
  const before = await total(staff, '/api/v1/admin/services?length=1');
  const mark = /\[\d+\]/.exec((await row.textContent()) ?? '')?.[0] ?? 'a name with a number';
  await row.getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Import services' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByLabel('Margin, percent').fill('50');
  await dialog.locator('.p-dropdown').nth(0).click();
  await staff.choose();
  await dialog.locator('.p-dropdown').nth(1).click();
  await staff.choose();
  await expect(dialog.locator('.import-preview tbody tr')).toHaveCount(1);
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('1 imported.')).toBeVisible();
  expect(await total(staff, '/api/v1/admin/services?length=1')).toBe(before + 1);
  // Beside its own name stands the service that was made of it.
  await expect.poll(async () => (await row.textContent())?.split(mark).length).toBe(3);
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
